/// The names of identity providers.
public enum AuthProviderID: Sendable, Hashable {
  /// Apple.
  case apple
  /// An address, with a password or links.
  case email
  /// Facebook.
  case facebook
  /// GitHub.
  case gitHub
  /// Google.
  case google
  /// A phone.
  case phone
  /// X, formerly Twitter.
  case twitter
  /// Any other: `oidc.example`, `saml.example`, `microsoft.com`.
  case custom(String)

  /// The provider of a name.
  public init(rawValue: String) {
    self = Self.named.first { $0.rawValue.isExactly(rawValue) } ?? .custom(rawValue)
  }

  /// The protocol's name: `google.com`.
  public var rawValue: String {
    switch self {
    case .apple: "apple.com"
    case .email: "password"
    case .facebook: "facebook.com"
    case .gitHub: "github.com"
    case .google: "google.com"
    case .phone: "phone"
    case .twitter: "twitter.com"
    case .custom(let name): name
    }
  }

  private static let named: [AuthProviderID] = [.apple, .email, .facebook, .gitHub, .google, .phone, .twitter]
}
