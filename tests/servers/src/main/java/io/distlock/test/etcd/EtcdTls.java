package io.distlock.test.etcd;

/** How clients reach a server; members of a cluster talk plain text with each other in any case. */
public enum EtcdTls {

    /** In plain text. */
    OFF,

    /** By TLS; the client proves nothing. */
    SERVER,

    /** By TLS; the client shows a certificate as well. */
    MUTUAL
}
