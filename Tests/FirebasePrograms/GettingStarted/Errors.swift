import Foundation
import GatehouseFirebase

/// Errors told apart by their numbers.
private func signIn(_ email: String, _ password: String, done: @escaping @MainActor () -> Void) {
  Auth.auth().signIn(withEmail: email, password: password) { result, error in
    if let error = error as NSError? {
      switch error.code {
      case AuthErrorCode.userNotFound.rawValue: print("no such user")
      case AuthErrorCode.wrongPassword.rawValue: print("wrong password")
      case AuthErrorCode.invalidEmail.rawValue: print("not an address")
      default: print("other:", error.code)
      }
      print(error.domain == AuthErrorDomain, error.userInfo[AuthErrorUserInfoNameKey] as? String ?? "no name")
    }
    Task { @MainActor in done() }
  }
}

let errorsByNumber = FirebaseProgram(
  "errors by number", prints: "no such user", "true ERROR_USER_NOT_FOUND", "wrong password",
  "true ERROR_WRONG_PASSWORD",
  "not an address", "true ERROR_INVALID_EMAIL"
) {
  try await Project.makeUser("errors@example.com")
  signIn("unknown@example.com", "correct horse") {
    signIn("errors@example.com", "wrong horse") {
      signIn("no address", "correct horse") {}
    }
  }
}

/// Errors told apart by codes.
private func signUp(_ email: String, _ password: String) {
  Auth.auth().createUser(withEmail: email, password: password) { _, error in
    guard let error = error else { return print("created") }
    if let code = AuthErrorCode(rawValue: (error as NSError).code) {
      switch code {
      case .emailAlreadyInUse: print("in use")
      case .weakPassword: print("weak")
      default: print("other")
      }
    }
    switch AuthErrorCode(rawValue: error._code) {
    case .emailAlreadyInUse?: print("in use, again")
    case .weakPassword?, .invalidEmail?: print("weak, again")
    default: break
    }
    guard let old = AuthErrorCode.Code(rawValue: (error as NSError).code) else { return }
    print(old == .weakPassword || old == .emailAlreadyInUse)
  }
}

let errorsByCode = FirebaseProgram(
  "errors by code", prints: "in use", "in use, again", "true", "weak", "weak, again", "true"
) {
  try await Project.makeUser("codes@example.com")
  signUp("codes@example.com", "correct horse")
  while Transcript.shared.lines.count < 3 { await Task.yield() }
  signUp("other@example.com", "1")
}
