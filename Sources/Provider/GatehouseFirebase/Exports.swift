// A program that was written for Firebase imports one module in place of FirebaseCore and FirebaseAuth.
@_exported public import Gatehouse
