/* httpd_without_tls.c: the functions of GnuTLS that libmicrohttpd refers to, for the tool of a wheel, which
 * has libmicrohttpd linked in. Our server speaks plain HTTP without encryption, so only gnutls_global_init
 * and gnutls_global_deinit are ever called. All return 0. */
#include <stdlib.h>

/* clang-format off */
#define NAMES(X) \
    X(gnutls_alpn_set_protocols) \
    X(gnutls_bye) \
    X(gnutls_certificate_allocate_credentials) \
    X(gnutls_certificate_free_credentials) \
    X(gnutls_certificate_server_set_request) \
    X(gnutls_certificate_set_dh_params) \
    X(gnutls_certificate_set_retrieve_function2) \
    X(gnutls_certificate_set_retrieve_function3) \
    X(gnutls_certificate_set_x509_key_mem) \
    X(gnutls_certificate_set_x509_key_mem2) \
    X(gnutls_certificate_set_x509_trust_mem) \
    X(gnutls_cipher_get) \
    X(gnutls_credentials_set) \
    X(gnutls_deinit) \
    X(gnutls_dh_params_deinit) \
    X(gnutls_dh_params_import_pkcs3) \
    X(gnutls_dh_params_init) \
    X(gnutls_global_deinit) \
    X(gnutls_global_init) \
    X(gnutls_handshake) \
    X(gnutls_init) \
    X(gnutls_priority_deinit) \
    X(gnutls_priority_init) \
    X(gnutls_priority_set) \
    X(gnutls_protocol_get_version) \
    X(gnutls_psk_allocate_server_credentials) \
    X(gnutls_psk_free_server_credentials) \
    X(gnutls_psk_set_server_credentials_function) \
    X(gnutls_record_check_pending) \
    X(gnutls_record_get_direction) \
    X(gnutls_record_recv) \
    X(gnutls_record_send) \
    X(gnutls_session_get_ptr) \
    X(gnutls_session_set_ptr) \
    X(gnutls_strerror) \
    X(gnutls_transport_set_int2)
/* clang-format on */

#define RETURN_ZERO(name_)                                                                         \
    long name_(void);                                                                              \
    long name_(void)                                                                               \
    {                                                                                              \
        return 0;                                                                                  \
    }
NAMES(RETURN_ZERO)

void *(*gnutls_malloc)(size_t) = malloc;
