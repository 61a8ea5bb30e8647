/// The paths of the HTTP interface, below the study's base URL.
public enum StudyPath {
    /// `GET`: the public keys for sealing, a JWK set.
    public static let keys = "/.well-known/jwks.json"
    /// `GET`: the same keys, signed by the study's root key (``SignedKeySet``).
    public static let signedKeys = "/study/keys"
    /// `GET`: the versions of the study's consent that may be signed, a Bundle of Contracts.
    public static let consent = "/study/consent"
    /// `POST`: registration.
    public static let register = "/register"
    /// `POST`: access tokens.
    public static let token = "/oauth/token"
    /// `POST`: submissions; the resource type follows.
    public static let submissions = "/encfhir"
    /// `GET`: the outcomes of submissions.
    public static let deliveries = "/deliveries"
    /// `GET`: the study's questionnaires; the id follows.
    public static let questionnaires = "/fhir/Questionnaire"
    /// `GET`: the study's own types of health data.
    public static let healthTypes = "/study/health-types.json"
    /// `GET`: the health data that phones sync.
    public static let healthSync = "/study/health-sync.json"
    /// The request header with the study's shared antispam word.
    public static let antispamHeader = "Antispam"
    /// The response header with the fingerprint of the keys that the study currently publishes
    /// (``PublishedKeys/fingerprint``).
    public static let keysHeader = "Tributary-Keys"
    /// The request header of a submission with its id, so that a refusal before the body is read can also name it.
    public static let submissionHeader = "Tributary-Submission"
    /// The request header of a submission with the latest epoch that the device received (``DeliveriesPage/epoch``). A
    /// study that was restored since then refuses it (412, ``restoredCode``), because the lost submissions must be sent
    /// before newer ones.
    public static let epochHeader = "Tributary-Epoch"
    /// The code of that refusal.
    public static let restoredCode = "study-restored"
}
