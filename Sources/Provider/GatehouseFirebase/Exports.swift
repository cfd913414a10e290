// A program written for Firebase imports this one module instead of FirebaseCore and FirebaseAuth.
@_exported public import Gatehouse
