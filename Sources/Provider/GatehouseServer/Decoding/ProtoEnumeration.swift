import GatehouseBase
import IdentityToolkit

/// An enumeration of the protocol, which clients send as a word or as its number. Android sends numbers.
protocol ProtoEnumeration {
  /// The words, in the order of their numbers from 0.
  static var words: [String] { get }
}

extension ProtoEnumeration {
  /// Returns the word of a number; `nil` for a number without a word.
  static func word(_ number: Int64) -> String? {
    words.indices.contains(Int(clamping: number)) ? words[Int(clamping: number)] : nil
  }
}

extension ActionCodeType: ProtoEnumeration {
  static let words = [
    "OOB_REQ_TYPE_UNSPECIFIED", "PASSWORD_RESET", "OLD_EMAIL_AGREE", "NEW_EMAIL_ACCEPT", "VERIFY_EMAIL",
    "RECOVER_EMAIL", "EMAIL_SIGNIN", "VERIFY_AND_CHANGE_EMAIL", "REVERT_SECOND_FACTOR_ADDITION",
  ]
}

extension Update.Attribute: ProtoEnumeration {
  static let words = [
    "USER_ATTRIBUTE_NAME_UNSPECIFIED", "EMAIL", "DISPLAY_NAME", "PROVIDER", "PHOTO_URL", "PASSWORD", "RAW_USER_INFO",
  ]
}

extension SignInWithPhoneNumber.Operation: ProtoEnumeration {
  static let words = ["VERIFY_OP_UNSPECIFIED", "SIGN_UP_OR_IN", "REAUTH", "UPDATE", "LINK"]
}

extension RevokeToken.TokenType: ProtoEnumeration {
  static let words = ["TOKEN_TYPE_UNSPECIFIED", "REFRESH_TOKEN", "ACCESS_TOKEN", "CODE"]
}
