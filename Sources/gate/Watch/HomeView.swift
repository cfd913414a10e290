import Gatehouse
import GatehouseBase
import GatehouseSystem

/// A watch's view of its home from outside: whether the session and the provider are still those that it uses.
///
/// Reads a few files' status, and the session only when its file has changed.
struct HomeView {
  /// What has become of the session.
  enum SessionChange {
    /// The same user has a new session, or the session has other tokens after a change of the account.
    case renewed
    /// The session belongs to another user, who is named here.
    case ofAnotherUser(String)
    case ended
  }

  /// What has become of the provider.
  enum ProviderChange {
    /// It cannot be reached: what is wrong, and what to do.
    case gone(String)
    case replaced
  }

  private let home: Home
  private let store: FileCredentialStore
  private let folder: FileStatus?
  private let accounts: FileStatus?
  private var file: FileStatus?
  private var session: StoredSession?
  /// The last failure to read the session.
  private var failure: AuthError?

  private static func accounts(of home: Home) -> String { home.provider + "/accounts.sqlite" }

  /// The home as it is now. To be made before anything is opened there: what changes later is then a change.
  init(_ home: Home) async throws(AuthError) {
    self.home = home
    store = FileCredentialStore(path: home.session)
    folder = Self.status(home.provider)
    accounts = Self.status(Self.accounts(of: home))
    file = Self.status(home.session)
    session = try await store.load()
  }

  /// What is there; `nil` also for what cannot be reached.
  private static func status(_ path: String) -> FileStatus? {
    do throws(SystemError) { return try FileStatus.at(path) } catch { return nil }
  }

  /// Whether the provider's accounts are there. An empty file is what a first sign-up leaves that was interrupted.
  /// A server's accounts are there as long as the home is.
  static func hasProvider(_ home: Home) -> Bool {
    guard home.server == nil else { return status(home.path) != nil }
    return status(accounts(of: home)).map { $0.size > 0 } ?? false
  }

  /// Whether a session's file is there.
  static func hasSession(_ home: Home) -> Bool { status(home.session) != nil }

  /// What has become of the provider since this view was made. Of a server the engine learns that itself.
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

  /// What has become of the session since it was looked at last.
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
