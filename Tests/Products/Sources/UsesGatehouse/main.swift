import Gatehouse

/// A backend of the user's own, which answers nothing.
struct Silence: Backend {
  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    throw AuthError(.operationNotAllowed, "this backend answers nothing")
  }
}

let auth = Auth(Auth.Configuration(backend: Silence(), store: MemoryCredentialStore()))
do {
  try await auth.ready()
  _ = try await auth.signIn(withEmail: "ada@example.com", password: "correct horse")
  fatalError("nothing was to be answered")
} catch AuthErrorCode.operationNotAllowed {
}
precondition(auth.currentUser == nil)
print("Gatehouse: a backend of one's own refused a sign-in.")
