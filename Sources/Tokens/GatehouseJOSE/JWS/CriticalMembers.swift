import GatehouseBase

// Header members that change the meaning of a message (RFC 7515 §4.1.11). Of those that may be marked as critical, this
// module supports only `b64` (RFC 7797), and only for messages.
extension TokenHeader {
  /// Whether the payload is signed as it is, and not in base64url.
  var isUnencoded: Bool { members["b64"]?.bool == false }

  /// For tokens: rejects members that change a token's meaning and are not supported.
  func refuseExtensions() throws(AuthError) {
    guard members["crit"] == nil else {
      throw AuthError(.criticalHeader, "`crit` is not supported in tokens")
    }
    guard members["b64"] == nil else {
      throw AuthError(.criticalHeader, "`b64` is not supported in tokens (RFC 7797 §7)")
    }
    try refuseCompression()
  }

  /// For messages: rejects every critical member except a well-formed `b64`.
  func checkCriticalMembers() throws(AuthError) {
    try refuseCompression()
    let names = try criticalNames()
    if let b64 = members["b64"] {
      guard b64.bool != nil, names?.contains(where: { $0.isExactly("b64") }) == true else {
        throw AuthError(.criticalHeader, "`b64` must be a boolean, and `crit` must name it")
      }
    }
  }

  /// The names in `crit`; `nil` if there is none.
  private func criticalNames() throws(AuthError) -> [String]? {
    guard let value = members["crit"] else { return nil }
    let names = value.array?.compactMap(\.string) ?? []
    guard !names.isEmpty, names.count == value.array?.count, Set(names.map { Array($0.utf8) }).count == names.count
    else { throw AuthError(.criticalHeader, "`crit` must be a non-empty array of distinct strings") }
    for name in names {
      guard name.isExactly("b64") else {
        throw AuthError(.criticalHeader, "`crit` names an unsupported extension")
      }
      guard members[name] != nil else {
        throw AuthError(.criticalHeader, "`crit` names a member that is not in the header")
      }
    }
    return names
  }

  private func refuseCompression() throws(AuthError) {
    guard members["zip"] == nil else { throw AuthError(.headerInvalid, "`zip` is not supported in signed messages") }
  }
}
