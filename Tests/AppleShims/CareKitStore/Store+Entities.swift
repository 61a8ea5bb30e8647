import Foundation

/// CareKit: OCKPatientStore.swift, OCKCarePlanStore.swift, OCKContactStore.swift, OCKTaskStore.swift
extension OCKStore {
    public func fetchPatients(query: OCKPatientQuery) async throws -> [OCKPatient] { fetch(query, OCKPatient.self) }
    @discardableResult
    public func addPatients(_ patients: [OCKPatient]) async throws -> [OCKPatient] {
        try transaction(inserts: patients)
    }
    @discardableResult
    public func updatePatients(_ patients: [OCKPatient]) async throws -> [OCKPatient] {
        try transaction(updates: patients)
    }
    @discardableResult
    public func deletePatients(_ patients: [OCKPatient]) async throws -> [OCKPatient] {
        try transaction(deletes: patients)
    }
    @discardableResult
    public func addPatient(_ patient: OCKPatient) async throws -> OCKPatient {
        try only(try await addPatients([patient]))
    }
    @discardableResult
    public func updatePatient(_ patient: OCKPatient) async throws -> OCKPatient {
        try only(try await updatePatients([patient]))
    }

    public func fetchCarePlans(query: OCKCarePlanQuery) async throws -> [OCKCarePlan] { fetch(query, OCKCarePlan.self) }
    @discardableResult
    public func addCarePlans(_ carePlans: [OCKCarePlan]) async throws -> [OCKCarePlan] {
        try transaction(inserts: carePlans)
    }
    @discardableResult
    public func updateCarePlans(_ carePlans: [OCKCarePlan]) async throws -> [OCKCarePlan] {
        try transaction(updates: carePlans)
    }
    @discardableResult
    public func deleteCarePlans(_ carePlans: [OCKCarePlan]) async throws -> [OCKCarePlan] {
        try transaction(deletes: carePlans)
    }
    @discardableResult
    public func addCarePlan(_ carePlan: OCKCarePlan) async throws -> OCKCarePlan {
        try only(try await addCarePlans([carePlan]))
    }
    @discardableResult
    public func updateCarePlan(_ carePlan: OCKCarePlan) async throws -> OCKCarePlan {
        try only(try await updateCarePlans([carePlan]))
    }

    public func fetchContacts(query: OCKContactQuery) async throws -> [OCKContact] { fetch(query, OCKContact.self) }
    @discardableResult
    public func addContacts(_ contacts: [OCKContact]) async throws -> [OCKContact] {
        try transaction(inserts: contacts)
    }
    @discardableResult
    public func updateContacts(_ contacts: [OCKContact]) async throws -> [OCKContact] {
        try transaction(updates: contacts)
    }
    @discardableResult
    public func deleteContacts(_ contacts: [OCKContact]) async throws -> [OCKContact] {
        try transaction(deletes: contacts)
    }
    @discardableResult
    public func addContact(_ contact: OCKContact) async throws -> OCKContact {
        try only(try await addContacts([contact]))
    }
    @discardableResult
    public func updateContact(_ contact: OCKContact) async throws -> OCKContact {
        try only(try await updateContacts([contact]))
    }

    public func fetchTasks(query: OCKTaskQuery) async throws -> [OCKTask] { fetch(query, OCKTask.self) }
    @discardableResult
    public func addTasks(_ tasks: [OCKTask]) async throws -> [OCKTask] { try transaction(inserts: tasks) }
    @discardableResult
    public func updateTasks(_ tasks: [OCKTask]) async throws -> [OCKTask] {
        try transaction(updates: tasks) { try confirmUpdateWillNotCauseDataLoss(tasks) }
    }
    @discardableResult
    public func deleteTasks(_ tasks: [OCKTask]) async throws -> [OCKTask] { try transaction(deletes: tasks) }
    @discardableResult
    public func addTask(_ task: OCKTask) async throws -> OCKTask { try only(try await addTasks([task])) }
    @discardableResult
    public func updateTask(_ task: OCKTask) async throws -> OCKTask { try only(try await updateTasks([task])) }

    /// CareKit adds HealthKit's tasks by a store of their own; their versions are in this one.
    @discardableResult
    public func addHealthKitTasks(_ tasks: [OCKHealthKitTask]) async throws -> [OCKHealthKitTask] {
        try transaction(inserts: tasks)
    }
}
