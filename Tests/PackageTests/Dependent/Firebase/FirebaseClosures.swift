/// The shapes in which programs for Firebase write completions: of calls without a value, where Gatehouse's own form
/// takes one parameter too, and of calls with one.
enum FirebaseClosures {
  /// Each closure is in a plain function, an `async` one, a main-actor class and an actor.
  static let text = """
    import FirebaseAuth

    func ended(_ error: Error?) { print(error as Any) }
    func signedIn(_ result: AuthDataResult?, _ error: Error?) { print(result as Any, error as Any) }
    func has(_ token: String?, _ error: Error?) {}

    func plain(_ auth: Auth, _ user: User) {
    \(calls())
      user.delete()
      user.reload()
      user.sendEmailVerification()
      auth.signInAnonymously()
      auth.signIn(withEmail: "", password: "")
      auth.sendPasswordReset(withEmail: "")
      user.createProfileChangeRequest().commitChanges()
    }

    func asynchronous(_ auth: Auth, _ user: User) async throws {
    \(calls())
      try await user.delete()
      try await user.sendEmailVerification()
      try await user.createProfileChangeRequest().commitChanges()
      let result = try await auth.signIn(withEmail: "", password: "")
      let token: String = try await result.user.getIDToken()
      print(token)
      Task { try await auth.signInAnonymously() }
    }

    @MainActor
    final class ViewController {
      var text = ""

      func show(_ error: Error?) { text = error?.localizedDescription ?? "" }
      func show(_ result: AuthDataResult?, _ error: Error?) { text = result?.user.email ?? "" }

      func plain(_ auth: Auth, _ user: User) {
    \(calls("    "))
        user.delete { error in self.text = error?.localizedDescription ?? "" }
        user.delete { [weak self] error in
          guard let self = self else { return }
          if let error = error { self.text = error.localizedDescription; return }
          self.show(error)
        }
        auth.signIn(withEmail: "", password: "") { [weak self] result, error in
          guard let strongSelf = self else { return }
          strongSelf.show(result, error)
        }
        user.delete(completion: show)
        auth.signInAnonymously(completion: show)
        user.delete()
      }

      func asynchronous(_ auth: Auth, _ user: User) async throws {
    \(calls("    "))
        user.delete { error in self.text = error?.localizedDescription ?? "" }
        try await user.delete()
      }
    }

    actor Service {
      var count = 0

      func plain(_ auth: Auth, _ user: User) {
        user.delete { error in self.count += error == nil ? 1 : 0 }
        auth.signInAnonymously { result, error in self.count += 1 }
      }
    }
    """
    .replacing("import FirebaseAuth", with: "import GatehouseFirebase")

  /// An object of no actor that a closure captures: Swift 5 mode takes it as it is, and Swift 6 mode warns.
  static let capture = """
    import GatehouseFirebase

    final class SessionStore {
      var text = ""
      func signIn(_ auth: Auth) {
        auth.signInAnonymously { [weak self] result, error in self?.text = result?.user.uid ?? "" }
      }
    }
    """

  /// A closure that fits no form.
  static let mistake = """
    import GatehouseFirebase

    func mistake(_ user: User) { user.delete { (error: String?) in print(error ?? "") } }
    """

  /// The top level of a main.swift, where a call that is not awaited must not be taken for one that is.
  static let topLevel = """
    import GatehouseFirebase

    FirebaseApp.configure()
    let uid = try await Auth.auth().signInAnonymously().user.uid
    let result = try await Auth.auth().signInAnonymously(timeout: nil)
    let token = try await result.user.getIDToken()
    try await result.user.delete(timeout: nil)
    Auth.auth().signInAnonymously { result, error in print(uid, token, result as Any, error as Any) }
    """

  /// A program with accounts at Google.
  static let server = """
    import GatehouseFirebaseREST

    func start() {
      let options = FirebaseOptions(googleAppID: "1:2:ios:3", gcmSenderID: "2")
      options.apiKey = "key"
      options.projectID = "shop"
      FirebaseApp.configure(options: options)
      FirebaseApp.configure(name: "second", options: options)
      Auth.auth().useEmulator(withHost: "127.0.0.1", port: 9099)
      Auth.auth().signInAnonymously { result, error in print(result?.user.uid ?? "", error as Any) }
      Auth.auth().currentUser?.getIDTokenResult { result, _ in print(result?.claims["admin"] as? Bool ?? false) }
    }
    """

  private static func calls(_ indentation: String = "  ") -> String {
    """
    user.delete { error in
      if let error { print(error.localizedDescription) } else { print("deleted") }
    }
    user.delete { error in
      if let error = error { print(error) }
    }
    user.delete { error in
      guard error == nil else { return print((error! as NSError).code) }
    }
    user.delete { _ in }
    user.delete { error in print(error as Any) }
    user.delete { error in }
    user.delete { print($0 as Any) }
    user.delete(completion: nil)
    user.delete(completion: { error in print(error?.localizedDescription ?? "none") })
    user.delete(completion: ended)
    user.delete { result in
      switch result {
      case .success: print("deleted")
      case .failure(let error): print(error.code)
      }
    }
    user.delete { result in
      if case .failure(let error) = result { print(error.message) }
    }
    auth.signIn(withEmail: "", password: "") { result, error in
      if let error { return print(error) }
      print(result!.user.uid)
    }
    auth.signIn(withEmail: "", password: "") { (result, error) in print(result?.user.uid ?? "", error as Any) }
    auth.signIn(withEmail: "", password: "") { _, _ in }
    auth.signIn(withEmail: "", password: "") { print($0 as Any, $1 as Any) }
    auth.signIn(withEmail: "", password: "", completion: nil)
    auth.signIn(withEmail: "", password: "", completion: signedIn)
    auth.signIn(withEmail: "", password: "") { result in print((try? result.get())?.user.uid ?? "") }
    user.getIDToken { token, error in print(token ?? "", error as Any) }
    user.getIDToken(completion: has)
    user.getIDTokenResult(forcingRefresh: true) { result, error in print(result?.claims["a"] as? Bool as Any) }
    user.createProfileChangeRequest().commitChanges { error in if let error { print(error) } }
    user.sendEmailVerification { error in print(error == nil) }
    user.sendEmailVerification(with: ActionCodeSettings()) { _ in }
    user.updatePassword(to: "") { error in print(error as Any) }
    user.unlink(fromProvider: EmailAuthProviderID) { user, error in print(user?.uid ?? "", error as Any) }
    auth.updateCurrentUser(user) { error in print(error as Any) }
    auth.sendPasswordReset(withEmail: "") { error in print(error as Any) }
    auth.applyActionCode("") { error in print(error as Any) }
    """
    .split(separator: "\n").map { indentation + $0 }.joined(separator: "\n")
  }
}
