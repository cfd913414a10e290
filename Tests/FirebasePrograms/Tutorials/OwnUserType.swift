import Foundation
import GatehouseFirebase

/// The app's own user, beside Firebase's.
private struct User: Identifiable, Codable {
  let id: String
  let fullname: String
  let email: String
}

@MainActor
private class AuthViewModel {
  var userSession: FirebaseAuth.User?
  var currentUser: User?

  init() { self.userSession = Auth.auth().currentUser }

  func createUser(withEmail email: String, password: String, fullname: String) async throws {
    do {
      let result = try await Auth.auth().createUser(withEmail: email, password: password)
      self.userSession = result.user
      let user = User(id: result.user.uid, fullname: fullname, email: email)
      let encodedUser = try JSONEncoder().encode(user)
      self.currentUser = try JSONDecoder().decode(User.self, from: encodedUser)
      print("hello", currentUser?.fullname ?? "", userSession?.uid == currentUser?.id)
    } catch {
      print("DEBUG: failed to create user with error \(error.localizedDescription)")
    }
  }

  func signOut() {
    do {
      try Auth.auth().signOut()
      self.userSession = nil
      self.currentUser = nil
      print("signed out", Auth.auth().currentUser == nil)
    } catch {
      print("DEBUG: failed to sign out with error \(error.localizedDescription)")
    }
  }
}

let ownUserType = FirebaseProgram("a user type of one's own", prints: "hello Jane Doe true", "signed out true") {
  let model = AuthViewModel()
  try await model.createUser(withEmail: "own@example.com", password: "correct horse", fullname: "Jane Doe")
  model.signOut()
}
