//! Servers behind TLS: one whose certificate holds is asked, and one whose does not is told apart from one that is down.

use super::bench::{Bench, Ended};
use super::server::Server;
use assert_cmd::Command;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/tls");

fn acceptor(certificate: &str) -> TlsAcceptor {
    let folder = Path::new(FOLDER);
    let chain = CertificateDer::pem_file_iter(folder.join(certificate)).unwrap().map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_file(folder.join("server.key")).unwrap();
    TlsAcceptor::from(Arc::new(ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key).unwrap()))
}

/// Puts TLS with this certificate in front of a server, and gives the address.
fn wrap(server: &Server, certificate: &str) -> String {
    let inner = server.stub.base_url().replace("http://", "").replace("/v1", "");
    let acceptor = acceptor(certificate);
    server.runtime.block_on(async move {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, inner) = (acceptor.clone(), inner.clone());
                tokio::spawn(async move {
                    // Who does not like the certificate hangs up, and that is all.
                    let Ok(mut outer) = acceptor.accept(stream).await else { return };
                    let mut inner = TcpStream::connect(inner).await.unwrap();
                    tokio::io::copy_bidirectional(&mut outer, &mut inner).await.unwrap_or_default();
                });
            }
        });
        format!("https://{address}/v1")
    })
}

/// A run against a server with this certificate, by somebody who trusts the test's authority alone.
fn run(bench: &Bench, server: &Server, certificate: &str) -> Ended {
    let plain = server.line("--limit 1 --out run --set model.generator.retries=9");
    let line = plain.replace(&server.stub.base_url(), &wrap(server, certificate));
    let mut command = Command::new(env!("CARGO_BIN_EXE_fcgen"));
    command.args(line.split(' ')).current_dir(bench.path("")).timeout(Duration::from_secs(60));
    command.env("SSL_CERT_FILE", format!("{FOLDER}/authority.pem")).env_remove("SSL_CERT_DIR");
    let output = command.env_remove("OPENAI_API_KEY").output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ended { code: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[cfg(target_os = "linux")]
#[test]
fn a_certificate_that_holds_is_accepted_by_who_trusts_its_authority() {
    let (server, _) = Server::builtin(0, Duration::ZERO);
    let bench = Bench::new();
    let ended = run(&bench, &server, "good.pem");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(server.stub.stats().total > 0 && bench.path("run/samples.jsonl").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_certificate_that_does_not_hold_stops_the_run_and_says_why() {
    let (server, _) = Server::builtin(0, Duration::ZERO);
    for (certificate, why) in [("expired.pem", "expired"), ("self_signed.pem", "UnknownIssuer")] {
        let bench = Bench::new();
        let ended = run(&bench, &server, certificate);
        assert_eq!(ended.code, 12, "{certificate}: {}", ended.stderr);
        assert!(
            ended.stderr.contains("the server's certificate is not accepted (invalid peer certificate: "),
            "{}",
            ended.stderr
        );
        assert!(ended.stderr.contains(why), "{certificate}: {}", ended.stderr);
        assert!(
            ended.stderr.contains("\nhint: check that the certificate is valid by this machine's clock"),
            "{}",
            ended.stderr
        );
        assert!(!bench.path("run/samples.jsonl").exists());
    }
    assert_eq!(server.stub.stats().total, 0, "nothing was asked, and no key was shown");
}
