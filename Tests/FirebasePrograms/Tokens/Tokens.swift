import Foundation
import GatehouseFirebase

private func showAdminUI() {
  Auth.auth().currentUser?.getIDTokenResult(completion: { result, error in
    guard let admin = result?.claims["admin"] as? NSNumber else {
      print("a regular user")
      return
    }
    if admin.boolValue { print("an admin") }
    print(
      result?.claims["admin"] as? Bool ?? false, result?.claims["plan"] as? String ?? "",
      result?.claims["level"] as? Int ?? 0)
    print(result?.claims["roles"] as? [String] ?? [], (result?.claims["org"] as? [String: Any])?["id"] as? Int ?? 0)
    print(
      result?.claims["admin"] as? String ?? "no text", result?.claims["none"] is NSNull, result?.claims["no"] as Any)
  })
}

let customClaims = FirebaseProgram(
  "custom claims", prints: "a regular user", "an admin", "true gold 3", #"["a", "b"] 7"#, "no text true nil"
) {
  _ = try await Auth.auth().signInAnonymously()
  showAdminUI()
  while Transcript.shared.lines.isEmpty { await Task.yield() }
  let token = try await Project.customToken(
    for: "boss",
    claims: ["admin": true, "plan": "gold", "level": 3, "roles": ["a", "b"], "org": ["id": 7], "none": .null])
  _ = try await Auth.auth().signIn(withCustomToken: token)
  showAdminUI()
}

private func callBackend(send: @escaping @Sendable (String) -> Void) {
  let currentUser = Auth.auth().currentUser
  currentUser?.getIDTokenForcingRefresh(true) { idToken, error in
    if let error = error {
      print(error)
      return
    }
    send(idToken!)
  }
  currentUser?.idTokenForcingRefresh(false) { idToken, _ in send(idToken ?? "") }
  currentUser?.getIDToken { token, error in send(token ?? "\(error!)") }
}

let tokenForABackend = FirebaseProgram("a token for a backend", prints: "3", "3", "3") {
  _ = try await Auth.auth().signInAnonymously()
  callBackend { token in print(token.split(separator: ".").count) }
}

let tokenResult = FirebaseProgram("the result of a token", prints: "anonymous", "true", "true 9", "3600.0 true") {
  _ = try await Auth.auth().signInAnonymously()
  let result = try await Auth.auth().currentUser?.getIDTokenResult(forcingRefresh: true)
  print(result?.signInProvider ?? "")
  if let expires = result?.expirationDate { print(expires > Date()) }
  // Not optional, as in Firebase.
  if let result {
    print(result.authDate.timeIntervalSinceNow <= 1, result.signInProvider.count)
    print(result.expirationDate.timeIntervalSince(result.issuedAtDate), result.signInSecondFactor.isEmpty)
  }
}

private func continueAsGuest() { Auth.auth().signInAnonymously() }

let tokenListener = FirebaseProgram("a listener of tokens", prints: "token of no user", "token of a user") {
  let handle = Auth.auth().addIDTokenDidChangeListener { auth, user in
    print("token of", user == nil ? "no user" : "a user")
  }
  while Transcript.shared.lines.isEmpty { await Task.yield() }
  continueAsGuest()
  while Transcript.shared.lines.count < 2 { await Task.yield() }
  Auth.auth().removeIDTokenDidChangeListener(handle)
}
