//! How every HTTP client begins: it follows no redirect, and ring is what TLS computes with.

use reqwest::ClientBuilder;
use reqwest::redirect::Policy;
use rustls::crypto::ring;

/// A redirected POST becomes a GET, and further headers would go to whoever is named: better said than followed.
pub fn client() -> ClientBuilder {
    // Where a program that uses this library has chosen another provider, that one stays.
    drop(ring::default_provider().install_default());
    ClientBuilder::new().redirect(Policy::none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_is_ready_for_tls() {
        for _ in 0..2 {
            assert!(client().build().is_ok());
        }
    }
}
