package import GatehouseBase
package import IdentityToolkit

extension ImportedAccount {
  /// Reads an account of `firebase auth:export`, or of the export of Firebase's emulator. Members that no account here
  /// can have are ignored, and an empty text is the same as a missing one.
  ///
  /// - Throws: `.invalidArgument` for a member of another type.
  package init(exported object: JSONObject) throws(AuthError) {
    var ignored: Set<String> = []
    try self.init(exported: object, ignoring: &ignored)
  }

  /// - Parameter ignored: takes the names of the members that are ignored.
  init(exported object: JSONObject, ignoring ignored: inout Set<String>) throws(AuthError) {
    self.init(localId: "")
    for member in object.members where !member.value.isNull {
      if try !read(member.name, member.value) { ignored.insert(member.name) }
    }
    if localId?.isEmpty == true { localId = nil }
  }

  /// Reads a member, and returns whether an account here can have it.
  private mutating func read(_ name: String, _ value: JSONValue) throws(AuthError) -> Bool {
    switch name {
    case "localId": localId = try value.text(name)
    case "email": email = try value.text(name)
    case "emailVerified": emailVerified = try value.flag(name)
    case "displayName": displayName = try value.text(name)
    case "photoUrl": photoUrl = try value.text(name)
    case "phoneNumber": phoneNumber = try value.text(name)
    case "disabled": disabled = try value.flag(name)
    case "passwordHash": passwordHash = try value.text(name).map { Secret($0) }
    case "salt": salt = try value.text(name).map { Secret($0) }
    case "customAttributes": customAttributes = try value.text(name)
    case "createdAt": createdAt = try value.time(name)
    case "lastLoginAt", "lastSignedInAt": lastLoginAt = try value.time(name)
    case "passwordUpdatedAt": passwordUpdatedAt = try value.milliseconds(name)
    case "validSince": validSince = try value.time(name)
    case "customAuth": customAuth = try value.flag(name)
    case "tenantId": tenantId = try value.text(name)
    case "providerUserInfo":
      providerUserInfo = try value.objects(name).map { info throws(AuthError) in
        try Account.ProviderUserInfo(exported: info)
      }
    case "mfaInfo":
      mfaInfo = try value.objects(name).map { factor throws(AuthError) in
        try CreateAccount.PhoneFactor(exported: factor)
      }
    // The provider counts these itself.
    case "lastRefreshAt", "initialEmail": break
    default: return false
    }
    return true
  }
}

extension Account.ProviderUserInfo {
  fileprivate init(exported object: JSONObject) throws(AuthError) {
    self.init(providerId: try object["providerId"]?.text("providerId") ?? "")
    rawId = try object["rawId"]?.text("rawId")
    federatedId = try object["federatedId"]?.text("federatedId")
    email = try object["email"]?.text("email")
    displayName = try object["displayName"]?.text("displayName")
    photoUrl = try object["photoUrl"]?.text("photoUrl")
    phoneNumber = try object["phoneNumber"]?.text("phoneNumber")
    // Old versions of Firebase's emulator did not export this member.
    rawId = rawId ?? federatedId ?? email ?? phoneNumber
  }
}

extension CreateAccount.PhoneFactor {
  fileprivate init(exported object: JSONObject) throws(AuthError) {
    self.init(phoneInfo: "")
    phoneInfo = try object["phoneInfo"]?.text("phoneInfo")
    mfaEnrollmentId = try object["mfaEnrollmentId"]?.text("mfaEnrollmentId")
    displayName = try object["displayName"]?.text("displayName")
    enrolledAt = try object["enrolledAt"]?.text("enrolledAt")
  }
}

extension JSONValue {
  /// The text; `nil` for an empty one, and for null.
  fileprivate func text(_ name: String) throws(AuthError) -> String? {
    if isNull { return nil }
    // SQLite would end the text at a NUL.
    guard let text = string ?? number?.text, !text.utf8.contains(0) else { throw .ofMember(name, "text without a NUL") }
    return text.isEmpty ? nil : text
  }

  /// The Boolean value, also as text, which a CSV file has.
  fileprivate func flag(_ name: String) throws(AuthError) -> Bool? {
    if let bool { return bool }
    switch string {
    case "true": return true
    case "false": return false
    default: throw .ofMember(name, "true or false")
    }
  }

  /// A whole number, also as text.
  fileprivate func time(_ name: String) throws(AuthError) -> DecimalString? {
    if string?.isEmpty == true { return nil }
    guard let number = integer ?? string.flatMap({ Int64($0) }) else { throw .ofMember(name, "a whole number") }
    return DecimalString(number)
  }

  fileprivate func milliseconds(_ name: String) throws(AuthError) -> Milliseconds? {
    guard let number = double ?? string.flatMap({ Double($0) }) else { throw .ofMember(name, "a number") }
    return Milliseconds(number)
  }

  fileprivate func objects(_ name: String) throws(AuthError) -> [JSONObject] {
    guard let array else { throw .ofMember(name, "an array") }
    return try array.map { element throws(AuthError) in
      guard let object = element.object else { throw .ofMember(name, "an array of objects") }
      return object
    }
  }
}

extension AuthError {
  fileprivate static func ofMember(_ name: String, _ type: String) -> AuthError {
    AuthError(.invalidArgument, "\(name) is not \(type)")
  }
}
