public import GatehouseBase
public import GatehouseCrypto

extension Certificate {
  /// Reads `x5c` (RFC 7515 §4.1.6, RFC 7517 §4.7): a list of certificates in DER, each in base64, the one in question
  /// first.
  ///
  /// In base64, not base64url, and in its canonical spelling only. Throws `certificateInvalid` for anything but 1 to
  /// `CertificateChain.limit` certificates. Nothing is believed before `CertificateChain.verify` has vouched for it.
  public static func chain(x5c json: borrowing JSONValue) throws(AuthError) -> [Certificate] {
    guard let texts = json.array, (1...CertificateChain.limit).contains(texts.count) else {
      throw AuthError(.certificateInvalid, "x5c is a list of 1 to \(CertificateChain.limit) certificates")
    }
    var chain: [Certificate] = []
    for text in texts {
      guard let text = text.string else { throw AuthError(.certificateInvalid, "a certificate in x5c is not a text") }
      chain.append(try Certificate(der: bytes(of: text)))
    }
    return chain
  }

  private static func bytes(of text: String) throws(AuthError) -> [UInt8] {
    guard text.utf8.count <= longestText else {
      throw AuthError(.certificateInvalid, "a certificate has at most \(limit) bytes")
    }
    do { return try Base64.decode(text) } catch {
      throw AuthError(.certificateInvalid, "a certificate in x5c is not in base64: \(error.message)")
    }
  }

  /// In characters of base64.
  private static let longestText = (limit + 2) / 3 * 4
}
