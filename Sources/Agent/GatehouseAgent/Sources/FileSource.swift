public import GatehouseBase
import GatehouseJOSE
import GatehouseQueues
import GatehouseSystem

/// The token in a file that another program writes, such as a sidecar or a cron job. The file is read at each fetch.
///
/// If the token is a JWT with an `exp`, it lives until then, by the wall clock. Any other token lives for a time that
/// counts from the moment at which this source first read it, because a file does not say when its token was issued.
///
/// A file that is a link, belongs to another user, is open to others or is in a folder that others can write to is
/// refused (`storeUnsafe`); the error names the command that fixes it. So is a file of more than 64 KiB and one that
/// holds anything but one token (`storeDamaged`). A missing file is `storeUnreadable`. All of these are temporary.
public final class FileSource: TokenSource {
  private let path: String
  private let lifetime: Duration
  private let clocks: any Clocks
  /// The token that was read last, and the moment at which it was first read.
  private let seen = Lock<(token: Secret, first: ClockReading)?>(nil)
  /// `token file`.
  public let kind = "token file"

  private static let limit = 64 << 10

  /// Makes a source. The file is not accessed before the first fetch.
  ///
  /// - Parameters:
  ///   - path: the file's path. A relative path is resolved at each fetch, against the current folder.
  ///   - lifetime: the life of a token that says nothing of its own.
  ///   - clocks: the clocks that measure the tokens' lives.
  public init(path: String, lifetime: Duration = .seconds(300), clocks: any Clocks = SystemClocks()) {
    self.path = path
    self.lifetime = lifetime
    self.clocks = clocks
  }

  /// Reads the file. Blocks its thread while the disk does.
  public func fetch() async throws(AuthError) -> LentToken {
    let token = try read()
    let now = clocks.now()
    let first = seen.withLock { seen in
      if let seen, seen.token == token { return seen.first }
      seen = (token, now)
      return now
    }
    let expiry = (try? UnverifiedToken(token.revealed))?["exp"]?.double
    let remaining = expiry.map { $0 - now.wall } ?? (lifetime.inSeconds - now.elapsed(since: first))
    return LentToken(token, lifetimeSeconds: remaining, received: now)
  }

  private func read() throws(AuthError) -> Secret {
    let location = FileLocation(path)
    let bytes: [UInt8]?
    do throws(SystemError) {
      let folder = try OpenFolder.own(location.folder)
      bytes = try folder.openOwn(location.name, .reading, .secret).readAll(limit: Self.limit)
    } catch {
      guard !error.isUnsafe else { throw AuthError(.storeUnsafe, error.description) }
      throw AuthError(.storeUnreadable, "the token's file cannot be read: \(error)")
    }
    guard var bytes else { throw AuthError(.storeDamaged, "\(path.printable()) has more than 64 KiB; it is no token") }
    while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
    guard !bytes.isEmpty, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw AuthError(.storeDamaged, "\(path.printable()) does not hold one token in one line")
    }
    return Secret(String(decoding: bytes, as: UTF8.self))
  }
}
