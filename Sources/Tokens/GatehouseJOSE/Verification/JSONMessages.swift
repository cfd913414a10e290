import GatehouseBase

/// The number of a message's signatures that must be valid.
public enum SignatureRule: Sendable, Hashable {
  /// Every one.
  case all
  /// At least one; the others are ignored.
  case one
}

/// A message in JSON that a `JWSVerifier` has verified.
public struct VerifiedSignatures: Sendable {
  /// The payload, decoded.
  public let payload: [UInt8]
  /// The headers of the valid signatures, as they were signed, in the message's order; never empty.
  public let headers: [TokenHeader]
}

extension VerifiedSignatures: CustomStringConvertible, CustomReflectable {
  /// The length of the payload, and each header's algorithm, key ID and type: never the payload.
  public var description: String {
    "VerifiedSignatures(payload: \(counted(payload.count, "byte")), headers: \(headers))"
  }
  /// The same members, and no others.
  public var customMirror: Mirror {
    Mirror(self, children: ["payload": counted(payload.count, "byte"), "headers": headers])
  }
}

extension JWSVerifier {
  /// The maximum number of signatures of a message: each costs one public-key operation.
  public static let maximumSignatures = MessageForm.maximumSignatures

  /// Verifies a message in flattened or general JSON (RFC 7515 §7.2), with its own payload or a detached one.
  ///
  /// `alg`, `crit` and `b64` are used only from the protected header, `kid` also from the unprotected one. A message
  /// longer than `limits.token` throws `tokenTooLarge`; a detached payload may have any length.
  public func verify(
    json: some Sequence<UInt8>, detachedPayload: [UInt8]? = nil, requiring rule: SignatureRule = .all
  ) throws -> VerifiedSignatures {
    // Reads at most one byte more than the limit.
    let text = Array(json.prefix(max(policy.limits.token, 0) + 1))
    guard text.count <= policy.limits.token else {
      throw AuthError(.tokenTooLarge, "the message is longer than \(policy.limits.token) bytes")
    }
    let message = try JSONMessage(JSONObject(reading: text, limits: policy.limits.json))
    return try withHeaders { headers throws(AuthError) in
      try message.verified(by: headers, detachedPayload, requiring: rule)
    }
  }
}

/// The parts of a message in JSON, not verified.
private struct JSONMessage {
  struct Signature {
    /// In base64url, as it was signed; empty if there is no protected header.
    let protected: [UInt8]
    let unprotected: JSONObject
    let signature: String
  }

  private let carried: String?
  private let signatures: [Signature]

  init(_ message: JSONObject) throws(AuthError) {
    carried = try message.text("payload")
    guard let list = message["signatures"] else {
      signatures = [try Self.signature(message)]
      return
    }
    guard message["signature"] == nil, message["protected"] == nil, message["header"] == nil else {
      throw AuthError(.tokenMalformed, "the message mixes general and flattened JSON")
    }
    guard let list = list.array, (1...JWSVerifier.maximumSignatures).contains(list.count) else {
      throw AuthError(.tokenMalformed, "a message must have 1 to \(JWSVerifier.maximumSignatures) signatures")
    }
    var signatures: [Signature] = []
    for element in list {
      guard let object = element.object else { throw AuthError(.tokenMalformed, "a signature must be a JSON object") }
      signatures.append(try Self.signature(object))
    }
    self.signatures = signatures
  }

  private static func signature(_ object: JSONObject) throws(AuthError) -> Signature {
    let protected = try object.text("protected") ?? ""
    guard let signature = try object.text("signature"), !signature.isEmpty else {
      throw AuthError(.tokenMalformed, "the message has no signature")
    }
    var unprotected = JSONObject()
    if let header = object["header"] {
      guard let header = header.object else { throw AuthError(.headerInvalid, "`header` must be a JSON object") }
      unprotected = header
    }
    return Signature(protected: Array(protected.utf8), unprotected: unprotected, signature: signature)
  }

  func verified(
    by check: HeaderCheck, _ detached: [UInt8]?, requiring rule: SignatureRule
  ) throws(AuthError) -> VerifiedSignatures {
    var good: [VerifiedMessage] = []
    var refusal: AuthError?
    for signature in signatures {
      do throws(AuthError) {
        good.append(try verified(signature, by: check, detached))
      } catch {
        guard rule == .one else { throw error }
        refusal = refusal ?? error
      }
    }
    guard let first = good.first else { throw refusal ?? AuthError(.tokenMalformed, "the message has no signature") }
    // Even if both encodings give the same bytes, the signers disagree about what they signed.
    guard good.allSatisfy({ $0.header.isUnencoded == first.header.isUnencoded }) else {
      throw AuthError(.headerInvalid, "the signatures do not agree on `b64` (RFC 7797 §3)")
    }
    return VerifiedSignatures(payload: first.payload, headers: good.map(\.header))
  }

  /// The header and the payload of one signature, if it is valid.
  private func verified(
    _ signature: Signature, by check: HeaderCheck, _ detached: [UInt8]?
  ) throws(AuthError) -> VerifiedMessage {
    guard signature.signature.utf8.count <= CompactJWS.maximumSignatureLength else {
      throw AuthError(.tokenTooLarge, "a signature is longer than any supported key makes")
    }
    guard !signature.protected.isEmpty else {
      throw AuthError(.headerInvalid, "`alg` must be in the protected header, which is missing")
    }
    let recognized = try check.recognize(signature.protected, beside: signature.unprotected)
    let payload = try payload(recognized.header, detached)
    var signed = signature.protected + [UInt8(ascii: ".")]
    recognized.header.append(payload, to: &signed)
    let given = try Base64URL.bytes(of: signature.signature)
    guard try recognized.check.isValid(given.span, for: signed.span) else {
      throw AuthError(.signatureInvalid, "signature verification failed")
    }
    return VerifiedMessage(header: recognized.header, payload: payload)
  }

  /// The payload according to one signature's header.
  private func payload(_ header: TokenHeader, _ detached: [UInt8]?) throws(AuthError) -> [UInt8] {
    switch (carried, detached) {
    case (let carried?, nil): return try header.isUnencoded ? Array(carried.utf8) : Base64URL.bytes(of: carried)
    case (nil, let detached?): return detached
    case (nil, nil): throw AuthError(.tokenMalformed, "the message has no payload, and none was passed")
    case (_?, _?): throw AuthError(.tokenMalformed, "the message has a payload, and a detached one was passed")
    }
  }
}

extension JSONObject {
  fileprivate func text(_ name: String) throws(AuthError) -> String? {
    guard let value = self[name] else { return nil }
    guard let text = value.string else { throw AuthError(.tokenMalformed, "`\(name)` must be a string") }
    return text
  }
}
