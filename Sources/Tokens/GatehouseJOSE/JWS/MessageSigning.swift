public import GatehouseBase

// Messages (JWS) that are not tokens: any payload, in every form of RFC 7515.
extension TokenSigner {
  /// Signs a message in compact form.
  ///
  /// A payload that is carried as it is may contain printable ASCII but no dot (RFC 7797 §5.2). Others throw
  /// `invalidArgument`: send them beside the message.
  public func sign(message payload: [UInt8], as form: MessageForm) throws -> String {
    let part = try part(payload, form)
    guard form.carriesPayload else { return part.header + ".." + part.signature }
    guard !form.encodesPayload else { return [part.header, Base64URL.encode(payload), part.signature].dotted }
    guard payload.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ".") }) else {
      throw AuthError(.invalidArgument, "an unencoded payload must be printable ASCII without dots: detach it")
    }
    return [part.header, String(decoding: payload, as: UTF8.self), part.signature].dotted
  }

  /// Signs a message in flattened JSON (RFC 7515 §7.2.2), with unprotected header members.
  public func signJSON(
    message payload: [UInt8], as form: MessageForm = .usual, unprotected: JSONObject = [:]
  ) throws -> JSONObject {
    var message = try Self.carrier(of: payload, form)
    for member in try part(payload, form, unprotected: unprotected).members.members {
      message[member.name] = member.value
    }
    return message
  }

  /// Signs a message with several signers, in general JSON (RFC 7515 §7.2.1): at most as many as a `JWSVerifier`
  /// accepts.
  public static func signJSON(
    message payload: [UInt8], by signers: [TokenSigner], as form: MessageForm = .usual
  ) throws -> JSONObject {
    guard (1...MessageForm.maximumSignatures).contains(signers.count) else {
      throw AuthError(
        .invalidArgument, "a message needs 1 to \(MessageForm.maximumSignatures) signers, not \(signers.count)")
    }
    var message = try carrier(of: payload, form)
    var signatures: [JSONValue] = []
    for signer in signers { signatures.append(.object(try signer.part(payload, form).members)) }
    message["signatures"] = .array(signatures)
    return message
  }

  /// The object that carries the payload, unless the payload is detached.
  private static func carrier(of payload: [UInt8], _ form: MessageForm) throws(AuthError) -> JSONObject {
    guard form.carriesPayload else { return [:] }
    guard !form.encodesPayload else { return ["payload": .string(Base64URL.encode(payload))] }
    guard let text = String(validating: payload, as: UTF8.self) else {
      throw AuthError(.invalidArgument, "an unencoded payload in JSON must be UTF-8: detach it")
    }
    return ["payload": .string(text)]
  }

  private func part(
    _ payload: [UInt8], _ form: MessageForm, unprotected: JSONObject = [:]
  ) throws(AuthError) -> SignedPart {
    var header = JSONObject.signed(algorithm, keyID, type: form.type, headerMembers)
    if !form.encodesPayload {
      header["b64"] = false
      header["crit"] = ["b64"]
    }
    try header.refuseSharedNames(with: unprotected)
    let spelled = Base64URL.encode(header.serialized())
    var signed = Array(spelled.utf8) + [UInt8(ascii: ".")]
    if form.encodesPayload { Base64URL.append(payload.span, to: &signed) } else { signed += payload }
    return SignedPart(
      header: spelled, unprotected: unprotected, signature: Base64URL.encode(try signature(of: signed)))
  }
}

/// One signature with its header.
private struct SignedPart {
  let header: String
  let unprotected: JSONObject
  let signature: String

  var members: JSONObject {
    var members: JSONObject = ["protected": .string(header)]
    if !unprotected.isEmpty { members["header"] = .object(unprotected) }
    members["signature"] = .string(signature)
    return members
  }
}

extension [String] {
  fileprivate var dotted: String { joined(separator: ".") }
}
