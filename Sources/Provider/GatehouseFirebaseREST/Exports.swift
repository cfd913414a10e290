// A program written for Firebase, with accounts at Google, imports this one module instead of FirebaseCore and
// FirebaseAuth.
@_exported public import GatehouseFirebase
