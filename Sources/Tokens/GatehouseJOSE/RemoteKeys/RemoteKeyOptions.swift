/// Options for fetching and keeping the keys of a `RemoteKeySet`.
public struct RemoteKeyOptions: Sendable, Hashable {
  /// The form in which a server publishes its keys.
  public enum Format: Sendable, Hashable {
    /// A set of JWKs (RFC 7517 §5).
    case jwkSet
    /// An object whose members are PEM certificates by key ID, as Google serves them. They are trusted because of the
    /// connection: chains are not verified. A certificate outside its validity is skipped.
    case certificates
    /// Either of the two: see `JWKSet.init(published:at:)`.
    case either
  }

  /// The form in which the server publishes its keys.
  public var format: Format
  /// The maximum duration of a fetch.
  public var timeout = Duration.seconds(5)
  /// The minimum time for which keys are fresh, whatever the server's `Cache-Control` says.
  public var minimumAge = Duration.seconds(60)
  /// The maximum time for which keys are fresh, whatever the server's `Cache-Control` says.
  public var maximumAge = Duration.seconds(86_400)
  /// The time for which keys are fresh if the server does not state one.
  public var defaultAge = Duration.seconds(600)
  /// The time after their expiry for which keys are still served, at once, while they are fetched again in the
  /// background.
  ///
  /// A key that the server has withdrawn meanwhile is trusted until that fetch succeeds, at most until this time is
  /// over.
  public var staleIfError = Duration.seconds(86_400)
  /// The time after the beginning of a fetch during which unknown key IDs and invalid signatures cause no further fetch.
  public var cooldown = Duration.seconds(30)
  /// Whether to follow redirects that stay on the same server.
  public var followsRedirects = false

  /// Makes the default options.
  public init(_ format: Format = .jwkSet) { self.format = format }

  /// The maximum length of a response, in bytes.
  public static let maximumResponseLength = 256 << 10

  /// Whether every duration is from 0 to ten years.
  var isSound: Bool {
    [timeout, minimumAge, maximumAge, defaultAge, staleIfError, cooldown]
      .allSatisfy { (.zero ... .seconds(315_360_000)).contains($0) }
  }
}
