/// One section of a consent as it is shown to people.
public struct ConsentSection: Sendable, Hashable {
    /// The topic of a section; the raw values are the codes of ``ConsentVocabulary/sectionType``.
    public enum Kind: String, Sendable, CaseIterable {
        /// The study in brief, as a welcome.
        case overview = "Overview"
        /// The protection of the person's data.
        case privacy = "Privacy"
        /// The data that the study collects, and from where.
        case dataGathering = "DataGathering"
        /// The purposes for which the data are used, and by whom.
        case dataUse = "DataUse"
        /// The time that participation requires.
        case timeCommitment = "TimeCommitment"
        /// The questions that the study asks.
        case studySurvey = "StudySurvey"
        /// The tasks that the person carries out for the study.
        case studyTasks = "StudyTasks"
        /// The way to leave the study, and its consequences.
        case withdrawing = "Withdrawing"
        /// A topic of the study's own, with a heading from the contract.
        case custom = "Custom"
        /// A section of the signed document only; it is not shown on screens before.
        case onlyInDocument = "OnlyInDocument"

        /// The heading for a contract that contains none.
        public var title: String {
            switch self {
            case .overview: "Welcome"
            case .privacy: "Privacy"
            case .dataGathering: "Data Gathering"
            case .dataUse: "Data Use"
            case .timeCommitment: "Time Commitment"
            case .studySurvey: "Study Survey"
            case .studyTasks: "Study Tasks"
            case .withdrawing: "Withdrawing"
            case .custom, .onlyInDocument: ""
            }
        }
    }

    /// The section's topic, from the code of `Contract.term.type`
    /// (<https://hl7.org/fhir/R4/contract-definitions.html#Contract.term.type>).
    public let kind: Kind
    /// The heading from the contract, or the default of the kind. It can be empty.
    public let title: String
    /// The term's text in a few sentences.
    public let summary: String?
    /// The full text as HTML. It comes from the study, but display it with scripts disabled.
    public let htmlContent: String?
    /// The name of a file with the full text as HTML.
    public let htmlContentFile: String?
    /// The name of a picture.
    public let image: String?
    /// The name of a video.
    public let animation: String?

    /// Creates a section. Without a title it has the heading of its kind.
    public init(
        kind: Kind, title: String? = nil, summary: String? = nil, htmlContent: String? = nil,
        htmlContentFile: String? = nil, image: String? = nil, animation: String? = nil
    ) {
        self.kind = kind
        self.title = title ?? kind.title
        self.summary = summary
        self.htmlContent = htmlContent
        self.htmlContentFile = htmlContentFile
        self.image = image
        self.animation = animation
    }
}
