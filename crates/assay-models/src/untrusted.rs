//! Failures of encrypted connections that no retry cures.

use std::error::Error as StdError;
use std::io;

use assay_core::Error;
use rustls::Error as TlsError;

use crate::failure::Failure;

/// The failure, if an error is about encryption: another attempt ends alike.
pub(crate) fn tls_failure(error: &(dyn StdError + 'static)) -> Option<Failure> {
    let mut cause = Some(error);
    while let Some(at) = cause {
        if let Some(error) = tls_error(at) {
            return failure(error).map(Failure::Fatal);
        }
        cause = at.source();
    }
    None
}

/// An error of TLS, which may be inside one of input and output.
fn tls_error<'e>(error: &'e (dyn StdError + 'static)) -> Option<&'e TlsError> {
    let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    let inner = inner.and_then(|inner| inner.downcast_ref::<TlsError>());
    inner.or_else(|| error.downcast_ref::<TlsError>())
}

fn failure(error: &TlsError) -> Option<Error> {
    match error {
        TlsError::InvalidCertificate(why) => Some(
            Error::failed(format!("the server's certificate is not trusted: {why}")).hint(
                "add the certificate of who signed it to this machine's, or name its file in the environment variable \
                 SSL_CERT_FILE",
            ),
        ),
        TlsError::InvalidMessage(_) => Some(
            Error::failed(format!("the server does not speak https: {error}"))
                .hint("if its connections are not encrypted, its address begins with http://"),
        ),
        _ => None,
    }
}
