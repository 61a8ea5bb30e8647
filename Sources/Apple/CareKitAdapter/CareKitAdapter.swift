#if canImport(CareKitStore)
    import CareKitStore
#endif
