import Gatehouse
import GatehouseBase
import HangGuard
import Testing

/// A public call that does not wait for an answer from elsewhere.
enum SynchronousMember: String, Codable, CaseIterable, Sendable {
  case state, currentUser, signOut, refreshesAutomatically, setRefreshesAutomatically
  case addStateListener, addTokenListener, removeStateListener, removeTokenListener
  case profile, email, displayName, photoURL, phoneNumber, isAnonymous, isEmailVerified, providerData, metadata
  case refreshToken, uid, providerID, tenantID, changeRequest, diagnostics, stream, tokenStream, enrolledFactors
  case chosenTenant, chooseTenant, languageCode, setLanguageCode, useAppLanguage, isSignInLink

  /// Calls it, and tells whether it answered rightly.
  func call(_ auth: Auth, _ user: User) -> Bool {
    switch self {
    case .state: return auth.state == .signedIn(user)
    case .currentUser: return auth.currentUser == user
    case .signOut:
      do { try auth.signOut() } catch { return false }
      return auth.currentUser == nil
    case .refreshesAutomatically: return auth.refreshesAutomatically == false
    case .setRefreshesAutomatically:
      auth.refreshesAutomatically = true
      return auth.refreshesAutomatically
    case .addStateListener:
      auth.addStateDidChangeListener { _, _ in }
      return auth.listenerCount > 0
    case .addTokenListener:
      auth.addIDTokenDidChangeListener { _, _ in }
      return auth.listenerCount > 0
    case .removeStateListener:
      let count = auth.listenerCount
      auth.removeStateDidChangeListener(auth.addStateDidChangeListener { _, _ in })
      return auth.listenerCount == count
    case .removeTokenListener:
      let count = auth.listenerCount
      auth.removeIDTokenDidChangeListener(auth.addIDTokenDidChangeListener { _, _ in })
      return auth.listenerCount == count
    case .profile: return user.profile.email == Scene.email
    case .email: return user.email == Scene.email
    case .displayName: return user.displayName == nil
    case .photoURL: return user.photoURL == nil
    case .phoneNumber: return user.phoneNumber == nil
    case .isAnonymous: return !user.isAnonymous
    case .isEmailVerified: return !user.isEmailVerified
    case .providerData: return user.providerData.count == 1
    case .metadata: return user.metadata.creationDate != nil
    case .refreshToken: return user.refreshToken != nil
    case .uid: return !user.uid.isEmpty
    case .providerID: return user.providerID == "Firebase"
    case .enrolledFactors: return user.multiFactor.enrolledFactors.isEmpty
    case .tenantID: return user.tenantID == nil
    case .changeRequest:
      let request = user.createProfileChangeRequest()
      request.displayName = "Ada"
      return request.displayName == "Ada" && request.photoURL == nil
    case .diagnostics: return Auth.diagnostics.blocks > 0
    case .chosenTenant: return auth.tenantID == nil
    case .chooseTenant:
      auth.tenantID = "north"
      return auth.tenantID == "north"
    case .languageCode: return auth.languageCode == nil
    case .setLanguageCode:
      auth.languageCode = "de"
      return auth.languageCode == "de"
    case .useAppLanguage:
      auth.languageCode = "x"
      auth.useAppLanguage()
      return auth.languageCode != "x"
    case .isSignInLink: return !auth.isSignIn(withEmailLink: "https://localhost/")
    case .stream:
      _ = auth.authStateChanges.makeAsyncIterator()
      return true
    case .tokenStream:
      _ = auth.idTokenChanges.makeAsyncIterator()
      return true
    }
  }
}

/// Every synchronous member, from every caller: it answers correctly and no call hangs. Each in a process of its own,
/// which a hang or a trap would end.
struct CallerMatrixTests {
  @Test(arguments: Caller.allCases, SynchronousMember.allCases)
  func `every synchronous member answers every caller`(caller: Caller, member: SynchronousMember) async {
    await #expect(processExitsWith: .success) { [caller, member] in
      endIfItHangs()
      StrictMode.turnOff()
      let isRight = try await caller.run(member.call)
      #expect(isRight, "\(member) from \(caller)")
    }
  }

  @Test func `a wrong answer of a member is seen`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let isRight = try await Caller.task.run { auth, _ in auth.currentUser == nil }
      #expect(!isRight)
    }
  }
}
