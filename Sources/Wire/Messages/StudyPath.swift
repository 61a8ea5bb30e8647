/// The paths both sides speak, below the study's base URL.
public enum StudyPath {
    /// `GET`: the public keys to seal to, a JWK set.
    public static let keys = "/.well-known/jwks.json"
    /// `GET`: the same, signed by the study's root key (``SignedKeySet``).
    public static let signedKeys = "/study/keys"
    /// `GET`: the versions of the study's consent that may be signed, a Bundle of Contracts.
    public static let consent = "/study/consent"
    /// `POST`: registration.
    public static let register = "/register"
    /// `POST`: access tokens.
    public static let token = "/oauth/token"
    /// `POST`: submissions; the resource type follows.
    public static let submissions = "/encfhir"
    /// `GET`: what became of them.
    public static let deliveries = "/deliveries"
    /// `GET`: the study's questionnaires; the id follows.
    public static let questionnaires = "/fhir/Questionnaire"
    /// `GET`: the study's own types of health data.
    public static let healthTypes = "/study/health-types.json"
    /// `GET`: which health data phones follow.
    public static let healthSync = "/study/health-sync.json"
    /// The request header with the study's shared word.
    public static let antispamHeader = "Antispam"
    /// The response header with the fingerprint of the keys that the study publishes now (``PublishedKeys/fingerprint``).
    public static let keysHeader = "Tributary-Keys"
    /// The request header of a submission with its id, so that a refusal made before the body is read can name it too.
    public static let submissionHeader = "Tributary-Submission"
    /// The request header of a submission with the epoch that the device last learned (``DeliveriesPage/epoch``): a study
    /// that was restored since refuses it (412, ``restoredCode``), for what it lost must come before what is newer.
    public static let epochHeader = "Tributary-Epoch"
    /// The code of that refusal.
    public static let restoredCode = "study-restored"
}
