import CGatehouseOpenSSL
package import GatehouseBase

/// Makes certificates for keys that clients expect in this form, such as Firebase's. The clients use only the key in
/// the certificate. The certificates are signed with a key that is not stored, so they prove nothing.
package struct CertificateIssuer: Sendable {
  private let key: PrivateKey

  package init() throws(AuthError) { key = try typed { try PrivateKey.generate(.ec(.p256)) } }

  /// Returns a certificate for a key, valid from 2020 to 2050.
  package func certificate(of publicKey: PublicKey) throws(AuthError) -> X509Certificate {
    let what: StaticString = "making a certificate"
    // `unsafe`, here and below: C; each object is freed by its owner, and OpenSSL copies its input.
    let certificate = try Owned(unsafe X509_new(), what) { unsafe X509_free($0) }
    let name = try Owned(unsafe X509_NAME_new(), what) { unsafe X509_NAME_free($0) }
    let text = Array("gatehouse".utf8)
    try OpenSSL.check(
      unsafe X509_NAME_add_entry_by_NID(
        name.raw, NID_commonName, V_ASN1_UTF8STRING, text, Int32(text.count), -1, 0), what)
    try OpenSSL.check(unsafe X509_set_version(certificate.raw, Int(X509_VERSION_3)), what)
    try OpenSSL.check(unsafe ASN1_INTEGER_set(X509_get_serialNumber(certificate.raw), 1), what)
    try OpenSSL.check(unsafe X509_set_subject_name(certificate.raw, name.raw), what)
    try OpenSSL.check(unsafe X509_set_issuer_name(certificate.raw, name.raw), what)
    guard unsafe ASN1_TIME_set(X509_getm_notBefore(certificate.raw), 1_577_836_800) != nil,
      unsafe ASN1_TIME_set(X509_getm_notAfter(certificate.raw), 2_524_608_000) != nil
    else { throw OpenSSL.failure(what) }
    try OpenSSL.check(unsafe X509_set_pubkey(certificate.raw, publicKey.key.raw), what)
    guard unsafe X509_sign(certificate.raw, key.key.raw, EVP_sha256()) > 0 else { throw OpenSSL.failure(what) }
    return try typed { try X509Certificate(der: ParsedCertificate.bytes(of: certificate)) }
  }
}
