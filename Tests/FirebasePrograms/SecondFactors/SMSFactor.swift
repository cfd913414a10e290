import Foundation
import GatehouseFirebase

private let phoneNumber = "+12025550102"

private func enroll() {
  let user = Auth.auth().currentUser
  user?.multiFactor.getSessionWithCompletion({ session, error in
    PhoneAuthProvider.provider().verifyPhoneNumber(phoneNumber, uiDelegate: nil, multiFactorSession: session) {
      verificationId, error in
      Task {
        let verificationCode = await Mailbox.shared.code(toPhone: phoneNumber)
        let credential = PhoneAuthProvider.provider().credential(
          withVerificationID: verificationId!, verificationCode: verificationCode)
        let assertion = PhoneMultiFactorGenerator.assertion(with: credential)
        user?.multiFactor.enroll(with: assertion, displayName: "my phone") { error in
          print("enrolled:", error as Any)
        }
      }
    }
  })
}

private func signIn(_ email: String, _ password: String) {
  Auth.auth().signIn(withEmail: email, password: password) { result, error in
    let authError = error as NSError?
    if authError?.code == AuthErrorCode.secondFactorRequired.rawValue {
      // Firebase's documentation casts it so: the key must have a resolver.
      let resolver = authError!.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as! MultiFactorResolver
      var displayNames = ""
      for info in resolver.hints { displayNames += info.displayName ?? "" }
      print(
        "which?", displayNames, resolver.hints[0].factorID == PhoneMultiFactorID,
        resolver.hints[0] is TOTPMultiFactorInfo)
      guard let hint = resolver.hints[0] as? PhoneMultiFactorInfo else { return }
      let digits: String = hint.phoneNumber
      print(digits.suffix(2))
      PhoneAuthProvider.provider().verifyPhoneNumber(
        with: hint, uiDelegate: nil, multiFactorSession: resolver.session
      ) { verificationId, error in
        Task {
          let credential = PhoneAuthProvider.provider().credential(
            withVerificationID: verificationId!, verificationCode: await Mailbox.shared.code(toPhone: phoneNumber))
          let assertion = PhoneMultiFactorGenerator.assertion(with: credential)
          resolver.resolveSignIn(with: assertion) { authResult, error in
            if let error = error { print(error) } else { print("signed in:", authResult!.user.email!) }
          }
        }
      }
    } else {
      print("no second factor", error as Any)
    }
  }
}

let smsFactor = FirebaseProgram(
  "a phone as a second factor", prints: "enrolled: nil", "which? my phone true false", "02",
  "signed in: sms@example.com",
  "removed: true"
) {
  try await Project.makeUser("sms@example.com")
  try await Auth.auth().signIn(withEmail: "sms@example.com", password: "correct horse")
  enroll()
  while Transcript.shared.lines.isEmpty { await Task.yield() }
  try Auth.auth().signOut()
  signIn("sms@example.com", "correct horse")
  while Transcript.shared.lines.count < 4 { await Task.yield() }
  let factors = Auth.auth().currentUser!.multiFactor
  factors.unenroll(with: factors.enrolledFactors[0]) { error in print("removed:", error == nil) }
}
