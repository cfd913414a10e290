import Foundation
import GatehouseFirebase

private func signOutTapped() {
  let firebaseAuth = Auth.auth()
  do {
    try firebaseAuth.signOut()
    print("signed out:", firebaseAuth.currentUser == nil)
  } catch let signOutError as NSError {
    print("Error signing out: %@", signOutError)
  }
}

let signOutButton = FirebaseProgram("a sign-out button", prints: "signed out: true") {
  _ = try await Auth.auth().signInAnonymously()
  signOutTapped()
}
