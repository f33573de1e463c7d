//! What a pipeline file may name: files of the project, and of folders that the command line lets in.

use super::bench::{Bench, Ended};

/// A project with a pipeline in a folder of its own, beside things that are none of its business.
fn project() -> Bench {
    let bench = Bench::new();
    bench.write("project/prompts_of_mine/ask.md", "Say {{ city }}");
    bench.write("project/tables/cities.csv", "city\nBree\n");
    bench.write("project/tools.json", r#"[{"name": "A.b"}]"#);
    bench.write("outside/secret.csv", "city\nhidden\n");
    bench.write("outside/ask.md", "Say {{ city }} hidden");
    bench.write("outside/schema.json", r#"{"type": "object"}"#);
    bench.write("outside/tools.json", r#"[{"name": "A.hidden"}]"#);
    bench.write("outside/script.jsonl", "");
    bench.write("outside/categories.toml", "[\"Home.Lamps\"]\ntitle = \"hidden\"\nwanted = \"hidden\"\n");
    bench
}

/// Checks a pipeline of this text at `project/sub/p.toml`, given from the project's folder.
fn check(bench: &Bench, text: &str, flags: &str) -> Ended {
    bench.write("project/sub/p.toml", text);
    bench.run_in("project", format!("pipeline sub/p.toml --check{flags}").trim_end())
}

fn generate(prompt: &str, more: &str) -> String {
    format!("[[stage]]\nkind = \"generate\"\nprompt = \"{prompt}\"\n{more}\n")
}

/// A pipeline for every key that names a file, each with this path in its place.
fn every_key(to: impl Fn(&str) -> String) -> Vec<(String, String)> {
    let toolset = |stage: &str| {
        format!(
            "[[stage]]\nkind = \"toolset\"\npath = \"mobile\"\n[[stage]]\n{stage}\n[[stage]]\nkind = \"candidates\"\ncount = 1\nnear = 0\n"
        )
    };
    let ask = "../prompts_of_mine/ask.md";
    let table = "table = \"../tables/cities.csv\"";
    let named = |key: &str, text: String| (key.to_owned(), text);
    let mut all = vec![
        named("prompt", generate(&to("ask.md"), table)),
        named("table", generate(ask, &format!("table = \"{}\"", to("secret.csv")))),
        named("schema", generate(ask, &format!("{table}\nschema = \"{}\"", to("schema.json")))),
        named(
            "script",
            format!(
                "[model.generator]\nprovider = \"scripted\"\nscript = \"{}\"\n{}",
                to("script.jsonl"),
                generate(ask, table)
            ),
        ),
        named(
            "batch_dir",
            format!(
                "[model.generator]\nprovider = \"openai\"\nmodel = \"m\"\nbatch_dir = \"{}\"\n{}",
                to("batches"),
                generate(ask, table)
            ),
        ),
        named(
            "path",
            format!(
                "[[stage]]\nkind = \"toolset\"\npath = \"{}\"\n[[stage]]\nkind = \"perfect_queries\"\n[[stage]]\nkind = \"candidates\"\n",
                to("tools.json")
            ),
        ),
        named("categories", format!("[[stage]]\nkind = \"toolkits\"\ncategories = \"{}\"\n", to("categories.toml"))),
        named("samples", format!("[[stage]]\nkind = \"localize\"\nsamples = \"{}\"\n", to("secret.csv"))),
        named("scenarios", format!("[[stage]]\nkind = \"apis\"\nscenarios = \"{}\"\n", to("secret.csv"))),
    ];
    for kind in ["perfect_queries", "imperfect_queries"] {
        all.push(named("seeds", toolset(&format!("kind = \"{kind}\"\nseeds = \"{}\"", to("secret.csv")))));
    }
    for kind in
        ["easy_questions", "medium_questions", "hard_questions", "complex_queries", "coarse_queries", "single_calls"]
    {
        all.push(named(
            "seeds",
            format!(
                "[[stage]]\nkind = \"toolset\"\npath = \"mobile\"\n[[stage]]\nkind = \"{kind}\"\nseeds = \"{}\"\n",
                to("secret.csv")
            ),
        ));
    }
    all
}

fn assert_refused(bench: &Bench, key: &str, text: &str) {
    let ended = check(bench, text, "");
    assert_eq!(ended.code, 10, "{key}: {}", ended.stderr);
    let told: Vec<&str> = ended.stderr.lines().filter(|line| line.contains("is outside the project folder")).collect();
    assert!(told.len() == 1 && told[0].contains(&format!("the `{key}` of ")), "{key}: {}", ended.stderr);
    assert!(
        ended.stderr.contains("--> sub/p.toml:") && ended.stderr.contains("`--allow-path DIR`"),
        "{key}: {}",
        ended.stderr
    );
    assert!(!ended.stderr.contains("hidden"), "{key}: what is outside is not looked into: {}", ended.stderr);
}

#[test]
fn no_key_names_a_file_outside_of_the_project() {
    let bench = project();
    for (key, text) in every_key(|name| format!("../../outside/{name}")) {
        assert_refused(&bench, &key, &text);
    }
}

#[test]
fn neither_whole_paths_nor_those_of_another_system_lead_out() {
    let bench = project();
    let outside = bench.path("outside").display().to_string();
    let table = |path: &str| generate("../prompts_of_mine/ask.md", &format!("table = '{path}'"));
    for path in
        [&format!("{outside}/secret.csv"), "/etc/passwd", "C:\\x.csv", "c:x.csv", "\\\\host\\x.csv", "..\\..\\x.csv"]
    {
        assert_refused(&bench, "table", &table(path));
    }
    for path in ["../tables/../../outside/secret.csv", "../../project/../outside/secret.csv", "../../outside/none.csv"]
    {
        assert_refused(&bench, "table", &table(path));
    }
}

#[test]
fn what_lends_a_path_its_name_is_what_is_read() {
    let bench = project();
    // Seen from the pipeline's folder this stays in the project, and is no text there; from the working folder it leads out.
    for decoy in ["folder", "bytes"] {
        let path = bench.path("project/outside/secret.csv");
        std::fs::remove_dir_all(bench.path("project/outside")).unwrap_or_default();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        if decoy == "folder" {
            std::fs::create_dir(&path).unwrap();
        } else {
            std::fs::write(&path, [0xff, 0xfe, b'\n']).unwrap();
        }
        let ended = check(&bench, &generate("../prompts_of_mine/ask.md", "table = \"../outside/secret.csv\""), "");
        assert_eq!(ended.code, 10, "{decoy}: {}", ended.told());
        assert!(!ended.stderr.contains("hidden"), "{}", ended.told());
    }
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out() {
    use std::os::unix::fs::symlink;
    let bench = project();
    symlink(bench.path("outside"), bench.path("project/door")).unwrap();
    for (key, text) in every_key(|name| format!("../door/{name}")) {
        assert_refused(&bench, &key, &text);
    }
    for part in ["tools", "en"] {
        bench.write(&format!("project/pack/{part}/A.toml"), "");
    }
    symlink(bench.path("outside/tools.json"), bench.path("project/pack/en/B.toml")).unwrap();
    let text = "[[stage]]\nkind = \"toolset\"\npath = \"../pack\"\n[[stage]]\nkind = \"perfect_queries\"\n[[stage]]\nkind = \"candidates\"\ncount = 1\nnear = 0\n";
    assert_refused(&bench, "path", text);
    std::fs::create_dir(bench.path("project/locales")).unwrap();
    bench.write("outside/xx/pack.toml", "");
    symlink(bench.path("outside/xx"), bench.path("project/locales/xx")).unwrap();
    let locale = format!("[pipeline]\nlocale = \"xx\"\n{}", generate("../prompts_of_mine/ask.md", "count = 1"));
    let told = check(&bench, &locale, "").stderr;
    assert!(told.contains("locale `xx` is outside the project folder: `locales/xx` is a link to "), "{told}");
}

#[test]
fn the_project_s_own_files_may_be_named_from_its_folders() {
    let bench = project();
    let whole = bench.path("project/tables/cities.csv").display().to_string();
    for table in ["../tables/cities.csv", "tables/cities.csv", "../sub/../tables/cities.csv", &whole] {
        let ended = check(&bench, &generate("../prompts_of_mine/ask.md", &format!("table = \"{table}\"")), "");
        assert_eq!(ended.code, 0, "{table}: {}", ended.stderr);
    }
    let tools = "[[stage]]\nkind = \"toolset\"\npath = \"../tools.json\"\n[[stage]]\nkind = \"perfect_queries\"\n[[stage]]\nkind = \"candidates\"\ncount = 1\nnear = 0\n";
    assert_eq!(check(&bench, tools, "").code, 0);
    let beside = generate("ask.md", "count = 1");
    bench.write("outside/p.toml", &beside.replace("count = 1", "table = \"secret.csv\""));
    let ended = bench.run_in("project", "pipeline ../outside/p.toml --check");
    assert_eq!(ended.code, 0, "a file's own folder is open wherever it is: {}", ended.stderr);
    bench.write("outside/deep/p.toml", &generate("../ask.md", "table = \"../secret.csv\""));
    let ended = bench.run_in("project", "pipeline ../outside/deep/p.toml --check");
    assert_eq!(ended.code, 10, "and the one above it is not: {}", ended.stderr);
}

#[test]
fn the_command_line_lets_folders_in_and_names_what_it_likes() {
    let bench = project();
    let outside = generate("../../outside/ask.md", "table = \"../../outside/secret.csv\"");
    assert_eq!(check(&bench, &outside, " --allow-path ../outside").code, 0);
    assert_eq!(check(&bench, &outside, " --allow-path sub --allow-path ../outside").code, 0);
    assert_eq!(check(&bench, &outside, " --allow-path sub").code, 10);
    let inside = generate("../prompts_of_mine/ask.md", "table = \"../tables/cities.csv\"");
    let set = " --set stage.generate.table=../outside/secret.csv";
    assert_eq!(check(&bench, &inside, set).code, 0, "{}", check(&bench, &inside, set).stderr);
    let tools = "[[stage]]\nkind = \"toolset\"\npath = \"mobile\"\n[[stage]]\nkind = \"perfect_queries\"\n[[stage]]\nkind = \"candidates\"\ncount = 1\nnear = 0\n";
    assert_eq!(check(&bench, tools, " --toolset ../outside/tools.json").code, 0);
    let asking = format!("[pipeline]\nallow_path = [\"../outside\"]\n{outside}");
    assert!(check(&bench, &asking, "").stderr.contains("unknown key `allow_path`"), "a file cannot let itself out");
}

#[test]
fn shipped_pipelines_are_within_reach_from_anywhere() {
    let bench = Bench::new();
    for name in
        ["hammer", "generate", "toolkits", "callnavi", "complexfunc", "functionchat", "confetti", "apis", "demo"]
    {
        let ended = bench.run(&format!("pipeline {name} --check"));
        assert_eq!(ended.code, 0, "{name}: {}", ended.stderr);
    }
}
