import Foundation
import GatehouseFirebase

private func changeAddress() {
  Auth.auth().currentUser?.sendEmailVerification(beforeUpdatingEmail: "new@example.com") { error in
    print("sent:", error == nil)
  }
}

let changeOfAddress = FirebaseProgram("a change of an address", prints: "sent: true", "changed: new@example.com") {
  try await Project.makeUser("old@example.com")
  try await Auth.auth().signIn(withEmail: "old@example.com", password: "correct horse")
  changeAddress()
  let code = await Mailbox.shared.code(to: "new@example.com")
  while Transcript.shared.lines.isEmpty { await Task.yield() }
  Auth.auth().applyActionCode(code) { error in
    if let error { return print(error) }
    Auth.auth().signIn(withEmail: "new@example.com", password: "correct horse") { result, _ in
      print("changed:", result?.user.email ?? "")
    }
  }
}

private func changePassword(from old: String, to new: String) {
  let user = Auth.auth().currentUser
  let credential = EmailAuthProvider.credential(withEmail: user?.email ?? "", password: old)
  user?.reauthenticate(with: credential) { _, error in
    if let error = error {
      print("not you:", (error as NSError).code == AuthErrorCode.wrongPassword.rawValue)
    } else {
      Auth.auth().currentUser?.updatePassword(to: new) { error in
        print("changed:", error == nil)
      }
    }
  }
}

let changeOfPassword = FirebaseProgram("a change of a password", prints: "not you: true", "changed: true") {
  try await Auth.auth().createUser(withEmail: "change@example.com", password: "correct horse")
  changePassword(from: "wrong", to: "another horse")
  while Transcript.shared.lines.isEmpty { await Task.yield() }
  changePassword(from: "correct horse", to: "another horse")
}

private func deleteAccount() {
  let user = Auth.auth().currentUser
  user?.delete { error in
    if let error = error {
      print("An error happened.", error)
    } else {
      print("Account deleted.", Auth.auth().currentUser == nil)
    }
  }
}

let deletionOfAnAccount = FirebaseProgram("the deletion of an account", prints: "Account deleted. true") {
  _ = try await Auth.auth().signInAnonymously()
  deleteAccount()
}

private func linkAndUnlink() {
  let credential = EmailAuthProvider.credential(withEmail: "linked@gmail.com", password: "correct horse")
  Auth.auth().currentUser?.link(with: credential) { authResult, error in
    print("linked:", authResult?.user.email ?? "", error as Any)
    Auth.auth().currentUser?.unlink(fromProvider: EmailAuthProviderID) { user, error in
      print("unlinked:", user?.providerData.map(\.providerID) ?? [], error as Any)
    }
  }
}

let linking = FirebaseProgram(
  "linking and unlinking", prints: "linked: linked@gmail.com nil", "unlinked: [\"google.com\"] nil"
) {
  let credential = GoogleAuthProvider.credential(
    withIDToken: #"{"sub":"link","email":"linked@gmail.com"}"#, accessToken: "")
  try await Auth.auth().signIn(with: credential)
  linkAndUnlink()
}
