import CGatehouseOpenSSL
public import FoundationEssentials
import GatehouseBase

/// Verifies that a certificate chain leads to a trusted root.
///
/// Only the given roots are trusted, never the machine's own store. Revocation is not checked. A pure function of its
/// arguments, usable from any thread.
public enum CertificateChain {
  /// The maximum number of certificates from the first to the root, both included.
  public static let maximumLength = 6

  /// Verifies a chain at a moment and returns its first certificate, the one whose key may be used.
  ///
  /// Throws `certificateUntrusted`, with OpenSSL's reason, unless all of this holds (RFC 5280 §6, strictly): Each
  /// certificate is signed by the next one up to a root, which is self-signed. All are within their validity. Each
  /// signer is a CA and may sign. Algorithms and keys have at least 112 bits of security. The first certificate is not
  /// a CA, and its key usage, if it has one, allows signatures. There are no unknown critical extensions. The rule
  /// holds.
  ///
  /// - Parameters:
  ///   - chain: the certificate in question first, then those that lead to the root; the root itself may be left out.
  ///   - roots: the trusted certificates; one of them must end the chain.
  ///   - moment: the time at which the chain must be valid.
  ///   - name: a DNS name that must be among the first certificate's alternative names; `nil` requires none.
  ///   - rule: further requirements for the chain.
  public static func verify(
    _ chain: [X509Certificate], roots: [X509Certificate], at moment: Date, name: String? = nil,
    rule: CertificateRule = .none
  ) throws -> X509Certificate {
    try verify(chain, roots: roots, at: moment.wall, name: name, rule: rule)
  }

  /// Verifies a chain at a moment in seconds since 1970.
  package static func verify(
    _ chain: [X509Certificate], roots: [X509Certificate], at now: Double, name: String? = nil,
    rule: CertificateRule = .none
  ) throws(AuthError) -> X509Certificate {
    guard let first = chain.first, chain.count <= maximumLength else {
      throw AuthError(
        .certificateUntrusted,
        "a certificate chain must have 1 to \(maximumLength) certificates; this one has \(chain.count)")
    }
    guard let moment = Int(exactly: now.rounded(.down)) else {
      throw AuthError(.invalidArgument, "the verification time is not a valid time")
    }
    if let name { try checkName(name) }

    let leaf = try ParsedCertificate(first.der)
    // `unsafe`: C; each object is freed by its owner. All of them are lent to the last call, and outlive it.
    let store = try Owned(unsafe X509_STORE_new(), "verifying a certificate") { unsafe X509_STORE_free($0) }
    for root in roots {
      let root = try ParsedCertificate(root.der)
      try OpenSSL.check(unsafe X509_STORE_add_cert(store.raw, root.raw), "verifying a certificate")
    }
    let others = try CertificateStack()
    for other in chain.dropFirst() { try others.append(ParsedCertificate(other.der)) }
    try verify(leaf, store: store, others: others, at: moment, name: name, rule: rule)
    return first
  }

  private static func verify(
    _ leaf: borrowing ParsedCertificate, store: borrowing Owned, others: borrowing CertificateStack, at moment: Int,
    name: String?, rule: CertificateRule
  ) throws(AuthError) {
    // `unsafe`: C; the context is freed by its owner before the caller's objects that it points to.
    let context = try Owned(unsafe X509_STORE_CTX_new_ex(OpenSSL.context, nil), "verifying a certificate") {
      unsafe X509_STORE_CTX_free($0)
    }
    try OpenSSL.check(
      unsafe X509_STORE_CTX_init(context.raw, store.raw, leaf.raw, others.raw), "verifying a certificate")
    let rules = unsafe X509_STORE_CTX_get0_param(context.raw)
    try OpenSSL.check(unsafe X509_VERIFY_PARAM_set_flags(rules, UInt(X509_V_FLAG_X509_STRICT)), "verifying")
    unsafe X509_VERIFY_PARAM_set_time(rules, moment)
    unsafe X509_VERIFY_PARAM_set_depth(rules, Int32(maximumLength - 2))  // OpenSSL counts those between the ends
    unsafe X509_VERIFY_PARAM_set_auth_level(rules, 2)
    if let name {
      unsafe X509_VERIFY_PARAM_set_hostflags(
        rules, UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
      try OpenSSL.check(unsafe X509_VERIFY_PARAM_set1_host(rules, name, name.utf8.count), "verifying")
    }

    let answer = unsafe X509_verify_cert(context.raw)
    guard answer == 1 else {
      // The text is a constant of the library.
      let reason = unsafe String(cString: X509_verify_cert_error_string(Int(X509_STORE_CTX_get_error(context.raw))))
      OpenSSL.drain()
      throw AuthError(answer == 0 ? .certificateUntrusted : .cryptoFailed, "the certificate is not trusted: \(reason)")
    }
    OpenSSL.drain()
    guard unsafe X509_check_ca(leaf.raw) == 0 else {
      throw AuthError(.certificateUntrusted, "the first certificate is a CA certificate; use an end-entity certificate")
    }
    // All bits are set if the certificate has no key usage.
    guard unsafe X509_get_key_usage(leaf.raw) & UInt32(X509v3_KU_DIGITAL_SIGNATURE) != 0 else {
      throw AuthError(.certificateUntrusted, "the certificate's key usage does not allow digital signatures")
    }
    // The chain that led to the root. The sender may have listed certificates that are not part of it.
    try rule.check(unsafe X509_STORE_CTX_get0_chain(context.raw))
  }

  /// OpenSSL treats an empty name as no name, and a name that begins with a dot as a suffix.
  private static func checkName(_ name: String) throws(AuthError) {
    let bytes = name.utf8
    guard (1...253).contains(bytes.count), bytes.first != UInt8(ascii: "."),
      bytes.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw AuthError(.invalidArgument, "invalid DNS name") }
  }
}

/// A list of certificates in OpenSSL's form, which keeps them alive.
private struct CertificateStack: ~Copyable {
  private let owned: Owned

  init() throws(AuthError) {
    // `unsafe`: C; the stack frees its certificates. It has a reference to each.
    owned = try Owned(unsafe OPENSSL_sk_new_null(), "verifying a certificate") { stack in
      while let certificate = unsafe OPENSSL_sk_pop(stack) { unsafe X509_free(OpaquePointer(certificate)) }
      unsafe OPENSSL_sk_free(stack)
    }
  }

  var raw: OpaquePointer { unsafe owned.raw }

  func append(_ certificate: borrowing ParsedCertificate) throws(AuthError) {
    try OpenSSL.check(unsafe X509_up_ref(certificate.raw), "verifying a certificate")
    guard unsafe OPENSSL_sk_push(owned.raw, UnsafeRawPointer(certificate.raw)) > 0 else {
      unsafe X509_free(certificate.raw)
      throw OpenSSL.failure("verifying a certificate")
    }
  }
}
