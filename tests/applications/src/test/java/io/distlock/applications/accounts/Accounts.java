package io.distlock.applications.accounts;

import org.springframework.data.jpa.repository.JpaRepository;

interface Accounts extends JpaRepository<Account, Long> {}
