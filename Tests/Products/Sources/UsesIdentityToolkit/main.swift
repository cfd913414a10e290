import IdentityToolkit

let call = SignInWithPassword(email: "ada@example.com", password: Secret("correct horse"))
precondition(!"\(call)".contains("correct horse"))
print("IdentityToolkit: \(type(of: call)) hides its password.")
