import Foundation
import GatehouseFirebase

/// A view model of SwiftUI, with async calls.
@MainActor
private final class AuthViewModel {
  private(set) var user: User?
  private(set) var errorMessage = ""
  private var handle: AuthStateDidChangeListenerHandle?

  init() {
    handle = Auth.auth().addStateDidChangeListener { [weak self] _, user in
      self?.user = user
    }
  }

  func signUp(_ email: String, _ password: String) async -> Bool {
    do {
      let authResult = try await Auth.auth().createUser(withEmail: email, password: password)
      user = authResult.user
      print("User \(authResult.user.email!) signed up")
      return true
    } catch {
      errorMessage = error.localizedDescription
      print("failed:", (error as NSError).code)
      return false
    }
  }

  func signOut() {
    do { try Auth.auth().signOut() } catch { errorMessage = error.localizedDescription }
  }

  func stop() { if let handle { Auth.auth().removeStateDidChangeListener(handle) } }
}

let viewModel = FirebaseProgram(
  "a view model", prints: "User model@example.com signed up", "failed: 17007", "no user"
) {
  let model = AuthViewModel()
  _ = await model.signUp("model@example.com", "correct horse")
  _ = await model.signUp("model@example.com", "correct horse")
  model.signOut()
  while model.user != nil { await Task.yield() }
  model.stop()
  print("no user")
}

/// A store of no actor, which passes its callers' handlers on.
private final class SessionStore {
  var session: String?
  var handle: AuthStateDidChangeListenerHandle?

  func signUp(email: String, password: String, handler: @escaping AuthDataResultCallback) {
    Auth.auth().createUser(withEmail: email, password: password, completion: handler)
  }

  func signIn(email: String, password: String, handler: @escaping (AuthDataResult?, Error?) -> Void) {
    Auth.auth().signIn(withEmail: email, password: password, completion: handler)
  }

  func resetPassword(email: String, onSuccess: @escaping () -> Void, onError: @escaping (String) -> Void) {
    Auth.auth().sendPasswordReset(withEmail: email) { [weak self] error in
      if let error = error { return onError(error.localizedDescription) }
      self?.session = nil
      onSuccess()
    }
  }
}

let sessionStore = FirebaseProgram("a session store", prints: "new: true", "again: true", "reset") {
  let store = SessionStore()
  store.signUp(email: "store@example.com", password: "correct horse") { result, error in
    print("new:", result?.additionalUserInfo?.isNewUser ?? false)
  }
  while Transcript.shared.lines.isEmpty { await Task.yield() }
  store.signIn(email: "store@example.com", password: "correct horse") { result, error in print("again:", error == nil) }
  while Transcript.shared.lines.count < 2 { await Task.yield() }
  store.resetPassword(email: "store@example.com", onSuccess: { print("reset") }, onError: { print($0) })
}

/// Completions under `async` functions of one's own.
private struct AuthService {
  func signIn(_ email: String, _ password: String) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      Auth.auth().signIn(withEmail: email, password: password) { result, error in
        if let error = error {
          continuation.resume(throwing: error)
        } else {
          continuation.resume(returning: result!.user.uid)
        }
      }
    }
  }

  func delete() async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, Error>) in
      guard let user = Auth.auth().currentUser else { return continuation.resume() }
      user.delete { error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
  }
}

let continuations = FirebaseProgram("continuations", prints: "17009", "true", "true") {
  try await Project.makeUser("wrapped@example.com")
  let service = AuthService()
  do {
    _ = try await service.signIn("wrapped@example.com", "wrong")
  } catch {
    print((error as NSError).code)
  }
  print(try await service.signIn("wrapped@example.com", "correct horse") == Auth.auth().currentUser?.uid)
  try await service.delete()
  print(Auth.auth().currentUser == nil)
}
