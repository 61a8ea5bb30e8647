import Admission
import Storage

/// The compiled published files of a study, with the earlier versions of its forms from the records.
package actor PublishedStudyFiles {
    private let files: PublishedFiles<PublishedStudy>
    private let records: any SQLDatabase
    private var known: (edition: Int, study: PublishedStudy)?

    /// - Parameter records: the database of the records, which has the earlier versions of forms.
    package init(_ files: PublishedFiles<PublishedStudy>, records: any SQLDatabase) {
        self.files = files
        self.records = records
    }

    /// Returns the study from its present files. The records are read again when a file changes, because only then a
    /// version becomes a former one.
    package func value() async -> PublishedStudy {
        let (edition, study) = await files.current()
        if let known, known.edition == edition { return known.study }
        // If the store cannot be read, only the present versions are used; the next submission tries again.
        guard let former = try? await FormerForms.read(from: records) else { return study }
        let whole = study.with(former)
        known = (edition, whole)
        return whole
    }
}
