/// The names of identity providers.
public enum AuthProviderID: Sendable, Hashable {
  /// Apple.
  case apple
  /// An email address, with a password or a link.
  case email
  /// Facebook.
  case facebook
  /// GitHub.
  case gitHub
  /// Google.
  case google
  /// A phone number.
  case phone
  /// X, formerly Twitter.
  case twitter
  /// Any other provider: `oidc.example`, `saml.example`, `microsoft.com`.
  case custom(String)

  /// The provider with a name.
  public init(rawValue: String) {
    self = Self.named.first { $0.rawValue.isExactly(rawValue) } ?? .custom(rawValue)
  }

  /// The provider's name in the protocol: `google.com`.
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
