import CGatehouseOpenSSL
import GatehouseBase

extension CertificateRule {
  /// Checks a verified chain, from the first certificate to the root. Throws `certificateUntrusted`, and
  /// `invalidArgument` for a text that is not an object identifier.
  ///
  /// `@safe`: the chain belongs to the caller's context, which outlives this call.
  @safe func check(_ chain: OpaquePointer?) throws(AuthError) {
    // `unsafe`: the certificates in the stack live as long as the chain.
    let count = Int(unsafe OPENSSL_sk_num(chain))
    func certificate(_ index: Int) -> OpaquePointer? {
      unsafe OPENSSL_sk_value(chain, Int32(index)).map { OpaquePointer($0) }
    }
    let between = 1..<max(count - 1, 1)

    if let length, count != length {
      throw AuthError(
        .certificateUntrusted,
        "the certificate chain has \(count) certificates up to the root, and must have \(length)")
    }
    for oid in leafExtensions { try unsafe Self.require(oid, in: certificate(0), "the first certificate") }
    guard intermediateExtensions.isEmpty || !between.isEmpty else {
      throw AuthError(.certificateUntrusted, "no certificate is between the first one and the root")
    }
    for index in between {
      for oid in intermediateExtensions {
        try unsafe Self.require(oid, in: certificate(index), "an intermediate certificate")
      }
    }
    guard !extendedKeyUsages.isEmpty else { return }
    try unsafe checkUsages(of: certificate(0), isFirst: true)
    for index in between { try unsafe checkUsages(of: certificate(index), isFirst: false) }
  }

  private static func require(
    _ oid: String, in certificate: OpaquePointer?, _ which: StaticString
  ) throws(AuthError) {
    let identifier = try identifier(oid)
    guard unsafe X509_get_ext_by_OBJ(certificate, identifier.raw, -1) >= 0 else {
      throw AuthError(.certificateUntrusted, "\(which) does not have the extension \(oid)")
    }
  }

  /// A certificate that lists no usages may be used for all of them. The first one must list them.
  private func checkUsages(of certificate: OpaquePointer?, isFirst: Bool) throws(AuthError) {
    var found: Int32 = 0
    // `unsafe`: C; the list and its elements are freed by its owner.
    guard let list = unsafe X509_get_ext_d2i(certificate, NID_ext_key_usage, &found, nil) else {
      OpenSSL.drain()
      guard found == -1, !isFirst else {
        throw AuthError(.certificateUntrusted, "the certificate's extended key usage is missing or cannot be parsed")
      }
      return
    }
    let usages = try Owned(OpaquePointer(list), "reading a certificate") { list in
      while let usage = unsafe OPENSSL_sk_pop(list) { unsafe ASN1_OBJECT_free(OpaquePointer(usage)) }
      unsafe OPENSSL_sk_free(list)
    }
    if !isFirst, try Self.lists(usages, Self.anyUsage) { return }
    for oid in extendedKeyUsages {
      guard try Self.lists(usages, oid) else {
        throw AuthError(.certificateUntrusted, "a certificate's extended key usage does not list \(oid)")
      }
    }
  }

  private static func lists(_ usages: borrowing Owned, _ oid: String) throws(AuthError) -> Bool {
    let wanted = try identifier(oid)
    for index in 0..<(unsafe OPENSSL_sk_num(usages.raw)) {
      let usage = unsafe OPENSSL_sk_value(usages.raw, index).map { OpaquePointer($0) }
      if unsafe OBJ_cmp(usage, wanted.raw) == 0 { return true }
    }
    return false
  }

  /// Parses an object identifier in dotted form. Names are not accepted.
  private static func identifier(_ oid: String) throws(AuthError) -> Owned {
    // `unsafe`: C; the identifier is freed by its owner. OpenSSL reads up to the first zero byte.
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let numbers = oid.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard oid.utf8.count <= 128, numbers.count > 1,
      numbers.allSatisfy({ !$0.isEmpty && $0.allSatisfy(digits.contains) }),
      let object = unsafe OBJ_txt2obj(oid, 1)
    else {
      OpenSSL.drain()
      throw AuthError(.invalidArgument, "\(oid) is not an object identifier in dotted form")
    }
    return try Owned(object, "reading an object identifier") { unsafe ASN1_OBJECT_free($0) }
  }

  /// `anyExtendedKeyUsage` (RFC 5280 §4.2.1.12).
  private static let anyUsage = "2.5.29.37.0"
}
