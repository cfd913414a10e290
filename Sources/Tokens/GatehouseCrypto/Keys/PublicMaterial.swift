import CGatehouseOpenSSL
import GatehouseBase

/// Public data, which must not be used as a shared secret.
enum PublicMaterial {
  /// Whether bytes are a PEM file, an SSH key, a DER certificate or key (SPKI, PKCS #1), or a JWK or JWK set.
  static func isRecognized(_ bytes: [UInt8]) -> Bool {
    // Anywhere in the text, because OpenSSL writes a key's attributes before its block.
    if bytes.contains("-----BEGIN ".utf8) { return true }
    let start = bytes.drop { $0 <= 0x20 }
    if start.starts(with: "ssh-".utf8) || start.starts(with: "ecdsa-sha2-".utf8) { return true }
    if start.first == UInt8(ascii: "{"), let object = try? JSONObject(reading: bytes) {
      return object["kty"] != nil || object["keys"] != nil
    }
    return isDER(bytes)
  }

  private static func isDER(_ bytes: [UInt8]) -> Bool {
    guard bytes.first == 0x30 else { return false }
    defer { OpenSSL.drain() }
    // `unsafe`: the buffer has the length that is passed; the parsed object is freed at once.
    return unsafe bytes.withUnsafeBufferPointer { buffer in
      var next = buffer.baseAddress
      var start = buffer.baseAddress
      if let key = unsafe d2i_PUBKEY(nil, &next, buffer.count)
        ?? d2i_PublicKey(EVP_PKEY_RSA, nil, &start, buffer.count)
      {
        unsafe EVP_PKEY_free(key)
        return true
      }
      unsafe next = buffer.baseAddress
      guard let certificate = unsafe d2i_X509(nil, &next, buffer.count) else { return false }
      unsafe X509_free(certificate)
      return true
    }
  }
}
