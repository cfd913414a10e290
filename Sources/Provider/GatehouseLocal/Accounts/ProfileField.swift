import GatehouseBase

/// A field of the profile that users fill in: a limit in bytes, and no NUL.
enum ProfileField: String, Sendable {
  case displayName = "the display name"
  case photoURL = "the photo's URL"

  var limit: Int {
    switch self {
    case .displayName: 256
    case .photoURL: 2048
    }
  }

  /// The text if it can be stored; `nil` for an empty one, which empties the field.
  func checked(_ text: String) throws(AuthError) -> String? {
    guard text.utf8.count <= limit else {
      throw AuthError(.invalidArgument, "\(rawValue) is longer than \(limit) bytes", serverCode: "INVALID_ARGUMENT")
    }
    guard !text.utf8.contains(0) else {
      throw AuthError(.invalidArgument, "\(rawValue) contains a NUL", serverCode: "INVALID_ARGUMENT")
    }
    return text.isEmpty ? nil : text
  }
}
