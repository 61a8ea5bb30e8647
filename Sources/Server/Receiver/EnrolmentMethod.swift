/// A proof by which a device may enrol; the raw value is that of `enrolment` in study.json.
package enum EnrolmentMethod: String, Sendable, Hashable, CaseIterable {
    /// The receipt of the study's app from an app store.
    case receipt
    /// An invitation code of the study team.
    case invitation
}
