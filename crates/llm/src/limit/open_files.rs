//! Sockets for all requests in flight: as many as the system lets this process open.

/// Files that are open besides: the journal, outputs, standard streams, what the system needs.
const BESIDES: usize = 64;

/// Lets this process open as many files as it wants, and gives a note where that is too few; nothing where it is unknown.
pub(crate) fn make_room(concurrency: usize) -> Option<String> {
    // Most systems allow far more than the 1,024 that a process begins with; where one refuses, the note says so.
    rlimit::increase_nofile_limit(wanted(concurrency)).ok();
    note_for(concurrency, &std::fs::read_to_string("/proc/self/limits").ok()?)
}

fn wanted(concurrency: usize) -> u64 {
    u64::try_from(concurrency.saturating_add(BESIDES)).unwrap_or(u64::MAX)
}

fn note_for(concurrency: usize, limits: &str) -> Option<String> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    // `unlimited` is no number, and no reason for a note.
    let limit: usize = line.split_whitespace().next()?.parse().ok()?;
    (limit < concurrency.saturating_add(BESIDES)).then(|| {
        format!(
            "`concurrency = {concurrency}` needs more open files than the limit of {limit}; raise the limit with `ulimit -n`"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: &str = "Limit  Soft Limit  Hard Limit  Units\nMax processes 100 100 processes\nMax open files   1024   524288   files\n";

    #[test]
    fn a_limit_that_is_too_low_is_told() {
        insta::assert_snapshot!(note_for(1000, LIMITS).unwrap(), @"`concurrency = 1000` needs more open files than the limit of 1024; raise the limit with `ulimit -n`");
        assert_eq!(note_for(960, LIMITS), None);
    }

    #[test]
    fn what_is_not_known_is_not_told() {
        assert_eq!(note_for(1000, ""), None);
        assert_eq!(note_for(1000, "Max open files unlimited unlimited files"), None);
    }
}
