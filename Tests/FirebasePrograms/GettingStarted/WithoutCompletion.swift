import GatehouseFirebase

private func fireAndForget() {
  Auth.auth().createUser(withEmail: "forget@example.com", password: "correct horse")
  Auth.auth().sendPasswordReset(withEmail: "forget@example.com", completion: nil)
}

private func leave() {
  if let user = Auth.auth().currentUser {
    user.reload()
    user.delete(completion: nil)
  }
}

let callsWithoutCompletion = FirebaseProgram("calls without a completion", prints: "a user", "gone") {
  let handle = Auth.auth().addStateDidChangeListener { _, user in if user != nil { print("a user") } }
  fireAndForget()
  while Transcript.shared.lines.isEmpty { await Task.yield() }
  Auth.auth().removeStateDidChangeListener(handle)
  leave()
  while Auth.auth().currentUser != nil { await Task.yield() }
  print("gone")
}
