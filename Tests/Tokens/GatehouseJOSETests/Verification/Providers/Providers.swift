import GatehouseJOSE

/// What providers' tokens and key sets look like, from their documents. A user writes the policy beside each.
enum Providers {
  static let all = [consumer, platforms, microsoft, workloads, products].flatMap(\.self)

  // MARK: Signing in with

  private static let consumer: [ProviderShape] = [
    ProviderShape(
      name: "Google", header: #"{"alg":"RS256","kid":"bdc4e109815f469460e63d34cd684215148d7b59","typ":"JWT"}"#,
      claims: """
        {"iss":"https://accounts.google.com","azp":"123-a.apps.googleusercontent.com",\
        "aud":"123-a.apps.googleusercontent.com","sub":"110169484474386276334","hd":"example.com",\
        "email":"ada@example.com","email_verified":true,"at_hash":"HK6E_P6Dh8Y93mRNtsDB1Q","name":"Ada","iat":1699999900,\
        "exp":1700003500}
        """,
      policy: google),
    ProviderShape(
      name: "Google, under its older name", header: #"{"alg":"RS256","kid":"bdc4","typ":"JWT"}"#,
      claims: """
        {"iss":"accounts.google.com","aud":"123-a.apps.googleusercontent.com","sub":"1","iat":1699999900,\
        "exp":1700003500}
        """,
      policy: google),
    ProviderShape(
      name: "Apple", header: #"{"kid":"86D88Kf","alg":"RS256"}"#,
      claims: """
        {"iss":"https://appleid.apple.com","aud":"com.example.shop","exp":1700003500,"iat":1699999900,\
        "sub":"001701.a1b2.0815","c_hash":"OFTn4ZV0vuFFqz2BDvIcJg","email":"x@privaterelay.appleid.com",\
        "email_verified":"true","is_private_email":"true","auth_time":1699999900,"nonce_supported":true}
        """,
      others: [#"{"kid":"YuyXoY","use":"sig","alg":"RS256"}"#, #"{"kid":"W6WcOKB","use":"sig","alg":"RS256"}"#],
      policy: ProviderShape.policy("https://appleid.apple.com", for: "com.example.shop")),
    ProviderShape(
      name: "Facebook", header: #"{"kid":"1bf8a8a1","alg":"RS256","typ":"JWT"}"#,
      claims: """
        {"iss":"https://www.facebook.com","aud":"4321","sub":"10224","iat":1699999900,"exp":1700003500,"jti":"aQ.1",\
        "nonce":"n","given_name":"Ada","picture":"https://platform-lookaside.fbsbx.com/p"}
        """,
      policy: ProviderShape.policy("https://www.facebook.com", for: "4321") { $0.nonce = "n" }),
    ProviderShape(
      name: "LinkedIn", header: #"{"kid":"d929668a-bab1-4c69-9598-4373149723ff","typ":"JWT","alg":"RS256"}"#,
      claims: """
        {"iss":"https://www.linkedin.com/oauth","aud":"78abc","iat":1699999900,"exp":1700003500,"sub":"782bbtaQ",\
        "name":"Ada","email":"ada@example.com","email_verified":"true","locale":"en_US"}
        """,
      policy: ProviderShape.policy("https://www.linkedin.com/oauth", for: "78abc")),
    ProviderShape(
      name: "LINE, signed with the channel's secret", header: #"{"typ":"JWT","alg":"HS256"}"#,
      claims: """
        {"iss":"https://access.line.me","sub":"U1234","aud":"1657","exp":1700003500,"iat":1699999900,"amr":["linesso"],\
        "name":"Ada"}
        """,
      policy: ProviderShape.policy("https://access.line.me", for: "1657", [.HS256])),
    ProviderShape(
      name: "Slack", header: #"{"alg":"RS256","kid":"mB2MAyKSn555isd0EbdhKx6nkyAi9xLq8rvCEb_nOyY","typ":"JWT"}"#,
      claims: """
        {"iss":"https://slack.com","sub":"U0R7MFMJM","aud":"25259531569.1115258246291","exp":1700003500,\
        "iat":1699999900,"auth_time":1699999900,"nonce":"","at_hash":"tUbyWGCWFoGiRzYw","https://slack.com/team_id":"T0R7",\
        "email_verified":true,"date_email_verified":1622128723,"locale":"en-US"}
        """,
      policy: ProviderShape.policy("https://slack.com", for: "25259531569.1115258246291")),
  ]

  private static let google = ProviderShape.policy(
    "https://accounts.google.com", "accounts.google.com", for: "123-a.apps.googleusercontent.com")

  // MARK: Services that keep users

  private static let platforms: [ProviderShape] = [
    ProviderShape(
      name: "Auth0: ID token", header: #"{"alg":"RS256","typ":"JWT","kid":"NjVBRjY5"}"#,
      claims: """
        {"nickname":"ada","updated_at":"2023-11-14T22:00:00.000Z","email_verified":true,\
        "iss":"https://shop.eu.auth0.com/","aud":"0oaClient","iat":1699999900,"exp":1700003500,"sub":"auth0|5f7c",\
        "sid":"s1","https://shop.example/roles":["admin"]}
        """,
      // Its `x5t` is the base64url form of hexadecimal text.
      key: """
        {"alg":"RS256","use":"sig","x5c":["X5C"],\
        "x5t":"NjVBRjY5MDlCMUIwNzU4RTA2QzZFMDQ4QzQ2MDAyQjVDNjk1RTM2Qg"}
        """,
      policy: ProviderShape.policy("https://shop.eu.auth0.com/", for: "0oaClient"), ignored: ["x5t"]),
    ProviderShape(
      name: "Auth0: ID token, with the issuer written without its slash",
      header: #"{"alg":"RS256","typ":"JWT","kid":"NjVBRjY5"}"#,
      claims: #"{"iss":"https://shop.eu.auth0.com/","aud":"c","iat":1699999900,"exp":1700003500,"sub":"auth0|5f7c"}"#,
      policy: ProviderShape.policy("https://shop.eu.auth0.com", for: "c"),
      refusal: (.issuerMismatch, "`iss` is not https://shop.eu.auth0.com")),
    ProviderShape(
      name: "Auth0: access token", header: #"{"alg":"RS256","typ":"JWT","kid":"NjVBRjY5"}"#,
      claims: """
        {"iss":"https://shop.eu.auth0.com/","sub":"auth0|5f7c",\
        "aud":["https://api.shop.example","https://shop.eu.auth0.com/userinfo"],"iat":1699999900,"exp":1700003500,\
        "azp":"0oaClient","scope":"openid read:orders","permissions":["read:orders"]}
        """,
      policy: ProviderShape.policy("https://shop.eu.auth0.com/", for: "https://api.shop.example")),
    ProviderShape(
      name: "Auth0: access token in the form of RFC 9068", header: #"{"alg":"RS256","typ":"at+jwt","kid":"NjVBRjY5"}"#,
      claims: auth0AccessToken,
      policy: .accessToken(
        issuer: "https://shop.eu.auth0.com/", audience: "https://api.shop.example", algorithms: [.RS256])),
    ProviderShape(
      name: "Auth0: access token in the form of RFC 9068, taken for an ID token",
      header: #"{"alg":"RS256","typ":"at+jwt","kid":"NjVBRjY5"}"#, claims: auth0AccessToken,
      policy: ProviderShape.policy("https://shop.eu.auth0.com/", for: "https://api.shop.example"),
      refusal: (.typeMismatch, "`typ` is not JWT")),
    ProviderShape(
      name: "Okta: ID token", header: #"{"kid":"1GmMq0dnk","alg":"RS256"}"#,
      claims: """
        {"sub":"00uid4BxXw6I6TV4m0g3","name":"Ada","ver":1,"iss":"https://shop.okta.com/oauth2/default","aud":"0oaClient",\
        "iat":1699999900,"exp":1700003500,"jti":"ID.4eAWJOCMB3SX8XewDfVR","amr":["pwd"],"idp":"00okIWalkHyxP1tC10g3",\
        "auth_time":1699999900,"at_hash":"cpqKfdQA5eH891Ff5oJr_Q","preferred_username":"ada@example.com"}
        """,
      policy: ProviderShape.policy("https://shop.okta.com/oauth2/default", for: "0oaClient")),
    ProviderShape(
      name: "Okta: access token of a custom server", header: #"{"kid":"1GmMq0dnk","alg":"RS256"}"#,
      claims: """
        {"ver":1,"jti":"AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMf0D7uX39RE","iss":"https://shop.okta.com/oauth2/default",\
        "aud":"api://default","sub":"ada@example.com","iat":1699999900,"exp":1700003500,"cid":"0oaClient","uid":"00u",\
        "scp":["openid","email"]}
        """,
      policy: ProviderShape.policy("https://shop.okta.com/oauth2/default", for: "api://default")),
    ProviderShape(
      name: "Okta: access token of the organization, which is for Okta alone",
      header: #"{"typ":"application/okta-internal-at+jwt","alg":"RS256","kid":"9zLk"}"#,
      claims: """
        {"ver":1,"iss":"https://shop.okta.com","aud":"https://shop.okta.com","sub":"ada@example.com","iat":1699999900,\
        "exp":1700003500,"cid":"0oaClient","scp":["openid"]}
        """,
      policy: ProviderShape.policy("https://shop.okta.com", for: "https://shop.okta.com"),
      refusal: (.typeMismatch, "`typ` is not JWT")),
    ProviderShape(
      name: "Cognito: ID token", header: #"{"kid":"abcd/1234+EXAMPLE=","alg":"RS256"}"#,
      claims: """
        {"sub":"aaaa-bbbb","cognito:groups":["test"],"email_verified":true,\
        "iss":"https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_example","cognito:username":"ada","origin_jti":"o1",\
        "aud":"5example","event_id":"64f5","token_use":"id","auth_time":1699999900,"exp":1700003500,"iat":1699999900,\
        "jti":"j1","email":"ada@example.com"}
        """,
      policy: ProviderShape.policy("https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_example", for: "5example")),
    ProviderShape(
      name: "Cognito: access token", header: #"{"kid":"abcd/1234+EXAMPLE=","alg":"RS256"}"#, claims: cognitoAccessToken,
      policy: ProviderShape.policy("https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_example", for: nil) {
        $0.requiredClaims = ["exp", "client_id", "token_use"]
      }),
    ProviderShape(
      name: "Cognito: access token, where the policy asks for an audience",
      header: #"{"kid":"abcd/1234+EXAMPLE=","alg":"RS256"}"#, claims: cognitoAccessToken,
      policy: ProviderShape.policy("https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_example", for: "5example"),
      refusal: (.audienceMismatch, "`aud` is missing")),
    ProviderShape(
      name: "Firebase", header: #"{"alg":"RS256","kid":"4e9df5a4","typ":"JWT"}"#,
      claims: """
        {"name":"Ada","iss":"https://securetoken.google.com/demo","aud":"demo","auth_time":1699999000,"user_id":"u1",\
        "sub":"u1","iat":1699999900,"exp":1700003500,"email":"ada@example.com","email_verified":false,\
        "firebase":{"identities":{"email":["ada@example.com"]},"sign_in_provider":"password"}}
        """,
      policy: .firebaseIDToken(project: "demo")),
    ProviderShape(
      name: "Firebase App Check", header: #"{"kid":"X9hl-A","typ":"JWT","alg":"RS256"}"#,
      claims: """
        {"sub":"1:1234:ios:a1b2","aud":["projects/1234","projects/demo"],"provider":"app_attest",\
        "iss":"https://firebaseappcheck.googleapis.com/1234","exp":1700003500,"iat":1699999900,"jti":"j"}
        """,
      policy: ProviderShape.policy("https://firebaseappcheck.googleapis.com/1234", for: "projects/1234")),
    ProviderShape(
      name: "Supabase", header: #"{"alg":"ES256","kid":"0b2c","typ":"JWT"}"#, claims: supabase,
      key: #"{"alg":"ES256","ext":true,"key_ops":["verify"],"use":"sig"}"#,
      policy: ProviderShape.policy("https://abc.supabase.co/auth/v1", for: "authenticated", [.ES256])),
    ProviderShape(
      name: "Supabase, with its older shared secret", header: #"{"alg":"HS256","kid":"kQv7","typ":"JWT"}"#,
      claims: supabase,
      policy: ProviderShape.policy("https://abc.supabase.co/auth/v1", for: "authenticated", [.HS256])),
    ProviderShape(
      name: "Supabase, with its older shared secret, under the policy for its keys",
      header: #"{"alg":"HS256","kid":"kQv7","typ":"JWT"}"#, claims: supabase,
      policy: ProviderShape.policy("https://abc.supabase.co/auth/v1", for: "authenticated", [.ES256]),
      refusal: (.algorithmRefused, "not accepted by the policy")),
    ProviderShape(
      name: "Clerk", header: #"{"alg":"RS256","cat":"cl_B7d4PD111AAA","kid":"ins_1","typ":"JWT"}"#, claims: clerk,
      policy: ProviderShape.policy("https://clerk.shop.example", for: nil) {
        $0.authorizedParty = "https://shop.example"
      }),
    ProviderShape(
      name: "Clerk, for another page than the policy's",
      header: #"{"alg":"RS256","cat":"cl_B7d4PD111AAA","kid":"ins_1","typ":"JWT"}"#, claims: clerk,
      policy: ProviderShape.policy("https://clerk.shop.example", for: nil) {
        $0.authorizedParty = "https://evil.example"
      },
      refusal: (.audienceMismatch, "`azp` is not https://evil.example")),
    ProviderShape(
      name: "WorkOS", header: #"{"alg":"RS256","kid":"sso_oidc_key_pair_01"}"#,
      claims: """
        {"iss":"https://api.workos.com","sub":"user_01H","act":{"sub":"admin@example.com"},"org_id":"org_01H",\
        "role":"member","roles":["member"],"permissions":["posts:read"],"entitlements":["audit-logs"],\
        "sid":"session_01H","jti":"01H","exp":1700000200,"iat":1699999900}
        """,
      key: #"{"alg":"RS256","use":"sig","x5c":["X5C"],"x5t#S256":"SHA"}"#,
      policy: ProviderShape.policy("https://api.workos.com", for: nil) { $0.requiredClaims = ["exp", "sid"] }),
    ProviderShape(
      name: "Descope", header: #"{"alg":"RS256","kid":"SK2a","typ":"JWT"}"#, claims: descope,
      policy: ProviderShape.policy("P2aBcD", for: nil) { $0.requiredClaims = ["exp", "drn"] }),
    ProviderShape(
      name: "Descope, where the policy asks for an audience that is not set up",
      header: #"{"alg":"RS256","kid":"SK2a","typ":"JWT"}"#, claims: descope,
      policy: ProviderShape.policy("P2aBcD", for: "P2aBcD"), refusal: (.audienceMismatch, "`aud` is missing")),
    ProviderShape(
      name: "Stytch", header: #"{"alg":"RS256","kid":"jwk-live-1","typ":"JWT"}"#,
      claims: """
        {"aud":["project-live-1"],"exp":1700000200,\
        "https://stytch.com/session":{"id":"session-live-1","attributes":{"ip_address":"","user_agent":""},\
        "authentication_factors":[{"type":"magic_link"}]},"iat":1699999900,"iss":"stytch.com/project-live-1",\
        "nbf":1699999900,"sub":"user-live-1"}
        """,
      key: #"{"alg":"RS256","key_ops":["verify"],"use":"sig","x5c":["X5C"],"x5t#S256":"SHA"}"#,
      policy: ProviderShape.policy("stytch.com/project-live-1", for: "project-live-1")),
    ProviderShape(
      name: "Kinde: ID token", header: #"{"alg":"RS256","kid":"94:e7","typ":"JWT"}"#,
      claims: """
        {"aud":["https://shop.kinde.com","c1"],"azp":"c1","exp":1700003500,"iat":1699999900,"iss":"https://shop.kinde.com",\
        "jti":"j","org_codes":["org_1"],"sub":"kp_1","updated_at":1699999900.25}
        """,
      policy: ProviderShape.policy("https://shop.kinde.com", for: "c1")),
    ProviderShape(
      name: "Kinde: access token without an API", header: #"{"alg":"RS256","kid":"94:e7","typ":"JWT"}"#,
      claims: kindeAccessToken,
      policy: ProviderShape.policy("https://shop.kinde.com", for: nil) { $0.authorizedParty = "c1" }),
    ProviderShape(
      name: "Kinde: access token without an API, where the policy asks for one",
      header: #"{"alg":"RS256","kid":"94:e7","typ":"JWT"}"#, claims: kindeAccessToken,
      policy: ProviderShape.policy("https://shop.kinde.com", for: "api"),
      refusal: (.claimInvalid, "`aud` has the wrong type")),
  ]

  private static let auth0AccessToken = """
    {"iss":"https://shop.eu.auth0.com/","sub":"auth0|5f7c","aud":"https://api.shop.example","iat":1699999900,\
    "exp":1700003500,"scope":"read:orders","client_id":"0oaClient","jti":"j"}
    """

  private static let cognitoAccessToken = """
    {"sub":"aaaa-bbbb","iss":"https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_example","version":2,\
    "client_id":"5example","origin_jti":"o1","token_use":"access","scope":"openid","auth_time":1699999900,\
    "exp":1700003500,"iat":1699999900,"jti":"j2","username":"ada"}
    """

  private static let supabase = """
    {"aal":"aal1","amr":[{"method":"password","timestamp":1699999900}],"app_metadata":{"provider":"email"},\
    "aud":"authenticated","email":"ada@example.com","exp":1700003500,"iat":1699999900,"is_anonymous":false,\
    "iss":"https://abc.supabase.co/auth/v1","phone":"","role":"authenticated","session_id":"s","sub":"u1",\
    "user_metadata":{}}
    """

  private static let clerk = """
    {"azp":"https://shop.example","exp":1700000010,"fva":[7,-1],"iat":1699999950,"iss":"https://clerk.shop.example",\
    "nbf":1699999940,"o":{"id":"org_1","rol":"admin","slg":"shop"},"sid":"sess_1","sts":"active","sub":"user_1","v":2}
    """

  private static let descope = """
    {"amr":["email"],"drn":"DS","exp":1700000500,"iat":1699999900,"iss":"P2aBcD","rexp":"2023-12-12T22:13:20Z",\
    "sub":"U2aBcD","tenants":{"T2":{"permissions":[],"roles":["Tenant Admin"]}}}
    """

  private static let kindeAccessToken = """
    {"aud":[],"azp":"c1","exp":1700003500,"gty":["authorization_code"],"iat":1699999900,"iss":"https://shop.kinde.com",\
    "jti":"j","scp":["openid"],"sub":"kp_1"}
    """
}
