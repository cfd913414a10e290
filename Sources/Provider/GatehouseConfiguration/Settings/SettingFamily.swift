import IdentityToolkit

/// A group of settings that exists once for each name: for each identity provider, or for each language.
package enum SettingFamily: String, Sendable, CaseIterable {
  case identityProviders
  case templates

  /// The key of the list of names.
  var listKey: String { self == .identityProviders ? "identityProviders.enabled" : "templates.languages" }

  /// The names in documents: those with specific settings, and `NAME` for all others.
  package var documented: [String] {
    switch self {
    case .identityProviders: ["google.com", "apple.com", "github.com", "facebook.com", "twitter.com", "NAME"]
    case .templates: ["LANGUAGE"]
    }
  }

  /// Whether a name is allowed: it becomes a part of keys and variables.
  func allows(_ name: String) -> Bool {
    (1...128).contains(name.utf8.count) && name.first?.isLetter == true
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// Returns the settings of one name.
  package func settings(of name: String) -> [Setting] {
    func part(_ path: [String], _ kind: SettingKind, isSecret: Bool = false, _ standard: String = "none") -> Setting {
      .part([rawValue, name] + path, kind, isSecret: isSecret, standard)
    }
    let text = SettingKind.text(1...2048)
    switch self {
    case .templates:
      return [part(["phone"], text)]
        + Self.messages.flatMap { message in
          [part([message.key, "subject"], text), part([message.key, "text"], .text(1...65536))]
        }
    case .identityProviders:
      let isTrusted = ["google.com", "apple.com"].contains(name)
      let common = [
        part(["isTrustedWithEmail"], .flag, "\(isTrusted)"), part(["timeout"], .duration(1...600), "10 s"),
      ]
      switch name {
      case "google.com", "apple.com": return [part(["clientIDs"], .list)] + common
      case "github.com":
        return [
          part(["clientID"], text), part(["clientSecret"], text, isSecret: true),
          part(["api"], text, "https://api.github.com"),
        ] + common
      case "facebook.com":
        return [
          part(["appID"], text), part(["appSecret"], text, isSecret: true),
          part(["api"], text, "https://graph.facebook.com"),
        ] + common
      case "twitter.com":
        return [
          part(["consumerKey"], text), part(["consumerSecret"], text, isSecret: true),
          part(["api"], text, "https://api.twitter.com"),
        ] + common
      default:
        return [
          part(["issuer"], text), part(["clientIDs"], .list), part(["userInfo", "url"], text),
          part(["userInfo", "check"], .choice(["introspection", "tokensOfAnyApp"])),
          part(["userInfo", "introspectionURL"], text), part(["userInfo", "clientID"], text),
          part(["userInfo", "clientSecret"], text, isSecret: true), part(["userInfo", "subject"], text, "sub"),
          part(["userInfo", "email"], text, "email"),
          part(["userInfo", "emailVerified"], text, "email_verified"), part(["userInfo", "name"], text, "name"),
          part(["userInfo", "picture"], text, "picture"),
          part(["userInfo", "username"], text, "preferred_username"),
        ] + common
      }
    }
  }

  /// The messages that have templates.
  static let messages: [(key: String, type: ActionCodeType)] = [
    ("passwordReset", .passwordReset), ("verifyEmail", .verifyEmail), ("emailSignIn", .emailSignIn),
    ("verifyAndChangeEmail", .verifyAndChangeEmail), ("recoverEmail", .recoverEmail),
    ("revertSecondFactorAddition", .revertSecondFactorAddition),
  ]
}
