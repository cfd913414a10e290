public import GatehouseBase
public import GatehouseCrypto

extension X509Certificate {
  /// Reads `x5c` (RFC 7515 §4.1.6, RFC 7517 §4.7): a list of DER certificates in base64, the one in question first.
  ///
  /// Only canonical base64 is accepted, not base64url. Throws `certificateInvalid` for anything but 1 to
  /// `CertificateChain.maximumLength` certificates. The certificates are not verified: `CertificateChain.verify` does
  /// that.
  public static func chain(x5c json: borrowing JSONValue) throws -> [X509Certificate] {
    guard let texts = json.array, (1...CertificateChain.maximumLength).contains(texts.count) else {
      throw AuthError(
        .certificateInvalid, "`x5c` must be an array of 1 to \(CertificateChain.maximumLength) certificates")
    }
    var chain: [X509Certificate] = []
    for text in texts {
      guard let text = text.string else {
        throw AuthError(.certificateInvalid, "a certificate in `x5c` must be a string")
      }
      chain.append(try X509Certificate(der: bytes(of: text)))
    }
    return chain
  }

  private static func bytes(of text: String) throws(AuthError) -> [UInt8] {
    guard text.utf8.count <= maximumTextLength else {
      throw AuthError(.certificateInvalid, "a certificate has at most \(maximumLength) bytes")
    }
    do { return try Base64.decode(text) } catch {
      throw AuthError(.certificateInvalid, "invalid base64 in `x5c`: \(error.message)")
    }
  }

  /// In base64 characters.
  private static let maximumTextLength = (maximumLength + 2) / 3 * 4
}
