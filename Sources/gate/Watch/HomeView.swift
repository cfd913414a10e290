import Gatehouse
import GatehouseBase
import GatehouseSystem

/// A watch's view of its home from the outside: whether the session and the provider are still those that it uses.
///
/// It reads the status of a few files, and reads the session only if its file has changed.
struct HomeView {
  /// What has happened to the session.
  enum SessionChange {
    /// The same user has a new session, or the session has other tokens after a change of the account.
    case renewed
    /// The session belongs to another user, whose name this is.
    case ofAnotherUser(String)
    case ended
  }

  /// What has happened to the provider.
  enum ProviderChange {
    /// It cannot be reached. The text says what is wrong, and what to do.
    case gone(String)
    case replaced
  }

  private let home: Home
  private let store: FileCredentialStore
  private let folder: FileStatus?
  private let accounts: FileStatus?
  private var file: FileStatus?
  private var session: StoredSession?
  /// The latest failure to read the session.
  private var failure: AuthError?

  private static func accounts(of home: Home) -> String { home.provider + "/accounts.sqlite" }

  /// The home as it is now. This is created before anything is opened there, so that every later change is noticed.
  init(_ home: Home) async throws(AuthError) {
    self.home = home
    store = home.store
    folder = Self.status(home.provider)
    accounts = Self.status(Self.accounts(of: home))
    file = Self.status(home.session)
    session = try await store.load()
  }

  /// Returns the status of the file; `nil` if there is none, or if it cannot be reached.
  private static func status(_ path: String) -> FileStatus? {
    do throws(SystemError) { return try FileStatus.at(path) } catch { return nil }
  }

  /// Whether the provider's accounts exist. An empty file does not count: a first sign-up that was interrupted leaves
  /// one. A server's accounts count as existing for as long as the home exists.
  static func hasProvider(_ home: Home) -> Bool {
    guard home.server == nil else { return status(home.path) != nil }
    return status(accounts(of: home)).map { $0.size > 0 } ?? false
  }

  /// Whether the session's file exists.
  static func hasSession(_ home: Home) -> Bool { status(home.session) != nil }

  /// What has happened to the provider since this view was made. Changes of a server are noticed by the engine itself.
  var providerChange: ProviderChange? {
    guard home.server == nil else { return nil }
    let folderNow: FileStatus?
    do throws(SystemError) { folderNow = try FileStatus.at(home.provider) } catch {
      return .gone("the identity provider's folder cannot be reached: \(error)")
    }
    guard let folderNow else {
      let isHomeThere = Self.status(home.path) != nil
      let missing = isHomeThere ? "the identity provider's folder \(home.provider)" : "the folder \(home.path)"
      return .gone("\(missing) is gone; put it back, and the watch goes on")
    }
    let accountsNow = Self.status(Self.accounts(of: home))
    if let accounts {
      guard let accountsNow else {
        return .gone("\(Self.accounts(of: home)) is gone; put it back, and the watch goes on")
      }
      if !accountsNow.isSame(as: accounts) { return .replaced }
    } else if accountsNow != nil {
      return .replaced
    }
    return folder.map { folderNow.isSame(as: $0) } == false ? .replaced : nil
  }

  /// Returns what has happened to the session since the last look.
  mutating func sessionChange() async -> SessionChange? {
    let now = Self.status(home.session)
    guard now != file || failure != nil else { return nil }
    let stored: StoredSession?
    do throws(AuthError) {
      stored = try await store.load()
    } catch {
      if failure?.code != error.code { StandardError.say("\(error); the watch goes on with the session at hand") }
      failure = error
      return nil
    }
    failure = nil
    file = now
    defer { session = stored }
    guard let stored else { return .ended }
    guard let session else { return .renewed }
    guard stored.profile.uid.isExactly(session.profile.uid) else {
      return .ofAnotherUser(stored.profile.email ?? stored.profile.uid)
    }
    return stored.session.isExactly(session.session) && stored.revocations == session.revocations ? nil : .renewed
  }
}
