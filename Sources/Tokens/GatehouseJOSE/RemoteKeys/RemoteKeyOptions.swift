/// How a `RemoteKeySet` treats what it fetches.
public struct RemoteKeyOptions: Sendable, Hashable {
  /// In which form a server publishes its keys.
  public enum Format: Sendable, Hashable {
    /// A set of JWKs (RFC 7517 §5).
    case jwkSet
    /// An object whose members are certificates in PEM by the names of their keys, as Google serves them. The
    /// connection vouches for them: chains are not verified. One that is out of its time is skipped.
    case certificates
    /// Whichever of the two the answer is: see `JWKSet.init(published:at:)`.
    case either
  }

  /// In which form the server publishes its keys.
  public var format: Format
  /// How long a fetch may take.
  public var timeout = Duration.seconds(5)
  /// How long keys are fresh at least, whatever the server's `Cache-Control` says.
  public var minimumAge = Duration.seconds(60)
  /// How long keys are fresh at most, whatever the server's `Cache-Control` says.
  public var maximumAge = Duration.seconds(86_400)
  /// How long keys are fresh when the server does not say.
  public var defaultAge = Duration.seconds(600)
  /// How long after their time keys are still served, at once, while they are fetched anew in the background.
  ///
  /// A key that the server has withdrawn meanwhile is trusted until that fetch succeeds, at most until this time is
  /// over.
  public var staleIfError = Duration.seconds(86_400)
  /// How long after a fetch began names that are not known cause no other one.
  public var cooldown = Duration.seconds(30)
  /// Whether redirects are followed that stay on the same server.
  public var followsRedirects = false

  /// The default options.
  public init(_ format: Format = .jwkSet) { self.format = format }

  /// The longest answer, in bytes.
  public static let maximumResponseLength = 256 << 10

  /// Whether every duration is from 0 to ten years.
  var isSound: Bool {
    [timeout, minimumAge, maximumAge, defaultAge, staleIfError, cooldown]
      .allSatisfy { (.zero ... .seconds(315_360_000)).contains($0) }
  }
}
