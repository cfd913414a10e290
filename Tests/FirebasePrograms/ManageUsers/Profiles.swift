import Foundation
import GatehouseFirebase

private func showProfile() {
  let user = Auth.auth().currentUser
  if let user = user {
    let uid = user.uid
    let email = user.email
    let photoURL = user.photoURL
    var multiFactorString = "MultiFactor: "
    for info in user.multiFactor.enrolledFactors {
      multiFactorString += info.displayName ?? "[DisplayName]"
      multiFactorString += " "
    }
    print(!uid.isEmpty, email ?? "", photoURL as Any, multiFactorString)
    print(user.metadata.creationDate != nil, user.isAnonymous, user.isEmailVerified)
  }
}

let profilePage = FirebaseProgram(
  "a profile", prints: "true profile@example.com nil MultiFactor: ", "true false true"
) {
  try await Project.makeUser("profile@example.com")
  try await Auth.auth().signIn(withEmail: "profile@example.com", password: "correct horse")
  showProfile()
}

private func describe(_ info: UserInfo) -> String { "\(info.providerID) \(info.uid) \(info.photoURL as Any)" }

private func showProviders() {
  guard let userInfo = Auth.auth().currentUser?.providerData else { return }
  for profile in userInfo {
    print(describe(profile))
    if profile.providerID == EmailAuthProviderID { print("has a password") }
  }
  let first: UserInfo? = userInfo.first
  let user: UserInfo = Auth.auth().currentUser!
  print(first?.email == user.email, user.providerID)
}

let providerList = FirebaseProgram(
  "the providers of a user", prints: "password providers@example.com nil", "has a password", "true Firebase"
) {
  _ = try await Auth.auth().createUser(withEmail: "providers@example.com", password: "correct horse")
  showProviders()
}

private func rename(to name: String) {
  let changeRequest = Auth.auth().currentUser?.createProfileChangeRequest()
  changeRequest?.displayName = name
  changeRequest?.photoURL = URL(string: "https://example.com/jane.png")
  changeRequest?.commitChanges { error in
    if let error = error { print(error) } else { print(Auth.auth().currentUser?.displayName ?? "") }
  }
}

let profileChange = FirebaseProgram("a change of a profile", prints: "Jane Q. User") {
  _ = try await Auth.auth().signInAnonymously()
  rename(to: "Jane Q. User")
}
