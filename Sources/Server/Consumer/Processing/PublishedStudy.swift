import FHIR
import InformedConsent
import Warehouse

/// The published files of a study, compiled: its consent documents and its forms. A value; a new one is made when the
/// study's files change.
public struct PublishedStudy: Sendable {
    /// The consent documents.
    public let templates: [ConsentTemplate]
    private let byURL: [String: SurveyConcepts]
    private let byVersion: [CanonicalURL: SurveyConcepts]
    private let byID: [String: SurveyConcepts]

    /// - Parameter forms: the published forms, in the order of their files: of several versions the last counts where a
    ///   response names none.
    public init(templates: [ConsentTemplate], forms: [Questionnaire]) {
        self.templates = templates
        var byURL: [String: SurveyConcepts] = [:]
        var byVersion: [CanonicalURL: SurveyConcepts] = [:]
        var byID: [String: SurveyConcepts] = [:]
        for form in forms {
            let concepts = SurveyConcepts(form)
            if let url = form.url {
                byURL[url] = concepts
                if let version = form.version, byVersion[CanonicalURL(url: url, version: version)] == nil {
                    byVersion[CanonicalURL(url: url, version: version)] = concepts
                }
            }
            if let id = form.id, byID[id] == nil { byID[id] = concepts }
        }
        self.byURL = byURL
        self.byVersion = byVersion
        self.byID = byID
    }

    /// The form that a canonical (`url|version`), a reference (`Questionnaire/id`) or a bare id names; nil where the study
    /// has published none such.
    public func form(_ name: String) -> SurveyConcepts? {
        let canonical = CanonicalURL(name)
        guard canonical.version == nil else { return byVersion[canonical] }
        let name = canonical.url
        if let form = byURL[name] { return form }
        return name.split(separator: "/").last.flatMap { byID[String($0)] }
    }
}
