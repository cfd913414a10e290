import GatehouseBase

/// A profile field that users fill in or their identity providers report, with a limit in bytes, or in characters for a
/// name, as in Firebase; it must not contain NUL.
enum ProfileField: String, Sendable {
  case displayName = "the display name"
  case photoURL = "the photo's URL"
  /// The name of an identity provider, as its document has it.
  case provider = "the name of the identity provider"
  /// The user's identifier at an identity provider.
  case subject = "the user's identifier at the identity provider"
  /// The address that an identity provider has reported.
  case identityEmail = "the address at the identity provider"

  var limit: Int {
    switch self {
    case .displayName: 256
    case .photoURL: 2048
    case .provider: 64
    case .subject: 255
    case .identityEmail: EmailAddress.maximum
    }
  }

  /// Returns the text if it can be stored; `nil` for an empty text, which removes the field.
  func checked(_ text: String) throws(AuthError) -> String? {
    let length = self == .displayName ? text.unicodeScalars.count : text.utf8.count
    guard length <= limit else {
      let unit = self == .displayName ? "characters" : "bytes"
      throw AuthError(.invalidArgument, "\(rawValue) is longer than \(limit) \(unit)", server: .invalidArgument)
    }
    guard !text.utf8.contains(0) else {
      throw AuthError(.invalidArgument, "\(rawValue) contains a NUL", server: .invalidArgument)
    }
    return text.isEmpty ? nil : text
  }
}
