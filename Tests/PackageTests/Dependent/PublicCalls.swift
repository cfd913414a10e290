/// A program that uses the public calls, in either language mode, without a word that silences the compiler.
enum PublicCalls {
  static let text = """
    import Gatehouse
    import GatehouseTesting

    @main
    struct Program {
      static func main() async throws {
        do {
          try Auth.auth().signOut()
        } catch let error as AuthError {
          print("not configured:", error.code == .notConfigured)
        }

        let backend = ScriptedBackend()
        let auth = try Auth.configure(Auth.Configuration(backend: backend))
        try await auth.ready()

        let (heard, hear) = AsyncStream.makeStream(of: String.self)
        let handle = auth.addStateDidChangeListener { auth, user in
          hear.yield(user?.email ?? "nobody")
        }
        var listener = heard.makeAsyncIterator()
        print("listener:", await listener.next() ?? "")

        let result = try await auth.createUser(withEmail: "ada@example.com", password: "correct horse")
        print("listener:", await listener.next() ?? "")
        auth.removeStateDidChangeListener(handle)

        let user = result.user
        print("user:", user.email ?? "", result.additionalUserInfo?.isNewUser == true, auth.currentUser == user)
        print("state:", auth.state == .signedIn(user), Set([user, user]).count)

        do {
          _ = try await auth.signIn(withEmail: "ada@example.com", password: "wrong")
        } catch let error as AuthError where error.code == .wrongPassword {
          print("refused:", error.code.rawValue, error.email ?? "")
        } catch {
          print("unexpected:", error)
        }

        print("token:", try await Task { try await user.getIDToken() }.value.isEmpty == false)
        let request = user.createProfileChangeRequest()
        request.displayName = "Ada"
        try await request.commitChanges()
        print("name:", user.displayName ?? "")

        let again = await withCheckedContinuation { continuation in
          auth.signIn(withEmail: "ada@example.com", password: "correct horse") { continuation.resume(returning: $0) }
        }
        print("again:", try again.get().user.uid == user.uid)

        for await current in auth.authStateChanges {
          print("sequence:", current?.email ?? "nobody")
          guard current != nil else { break }
          try auth.signOut()
        }
        print("signed out:", auth.state == .signedOut(nil), auth.currentUser == nil)
        do {
          _ = try await user.getIDToken()
        } catch let error as AuthError {
          print("ended:", error.code == .sessionEnded)
        }
        try await auth.close()
      }
    }
    """

  /// What it prints.
  static let output = """
    not configured: true
    listener: nobody
    listener: ada@example.com
    user: ada@example.com true true
    state: true 1
    refused: 17009 ada@example.com
    token: true
    name: Ada
    again: true
    sequence: ada@example.com
    sequence: nobody
    signed out: true true
    ended: true

    """
}
