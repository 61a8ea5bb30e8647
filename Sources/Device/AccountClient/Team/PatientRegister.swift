import Core
import DeviceSystem

/// The visible patients as they were last pulled, with the cursor. Both are one file, so they always match.
struct PatientRegister: Sendable, Hashable {
    /// The cursor of the next pull; nil before the first.
    var cursor: String?
    /// The ids of the visible patients.
    var patients: Set<String> = []
}

/// The pages of one pull, applied to the patients of before.
struct PatientPull: Sendable {
    private let before: PatientRegister
    private(set) var register: PatientRegister
    private var mentioned: Set<String> = []

    init(_ register: PatientRegister) { (before, self.register) = (register, register) }

    /// Applies a page.
    mutating func apply(_ page: PatientPage) {
        // Patients of before who are not in the new list have left.
        if page.isRestart { register.patients = [] }
        for patient in page.patients {
            register.patients.insert(patient.id)
            mentioned.insert(patient.id)
        }
        register.patients.subtract(page.left)
        register.cursor = page.cursor
    }

    /// The difference between before and now. A patient who entered and left in one pull is in no list.
    var changes: PatientChanges {
        let (former, current) = (before.patients, register.patients)
        return PatientChanges(
            entered: current.subtracting(former).sorted(),
            changed: mentioned.intersection(former).intersection(current).sorted(),
            left: former.subtracting(current).sorted())
    }
}

extension AccountFolder {
    /// Returns the register; an empty one if there is none.
    func register(of account: String) throws(DeviceStorageError) -> PatientRegister {
        guard let json = try content(.patients, of: account), let ids = json["patients"]?.array else {
            return PatientRegister()
        }
        return PatientRegister(cursor: json["cursor"]?.string, patients: Set(ids.compactMap(\.string)))
    }

    func write(_ register: PatientRegister, of account: String) throws(DeviceStorageError) {
        let json: JSON = [
            "cursor": register.cursor.map { .string($0) } ?? .null,
            "patients": .array(register.patients.sorted().map { .string($0) }),
        ]
        try write(json, as: .patients, of: account)
    }
}
